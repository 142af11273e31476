/**
 * The part of sodium-native 5 that this service calls. The published types lag behind the module, so this file is the contract.
 * Every function throws on wrong argument types or lengths.
 */
declare module 'sodium-native' {
  const sodium: {
    /** A guarded allocation in pages of its own, filled with 0xdb. A failed mlock is silent: call sodium_mlock and let it throw. */
    sodium_malloc(length: number): Buffer;
    /** Detaches the buffer at once; zeroes, unlocks and unmaps its pages in the next turn of the event loop. Does nothing to a subarray. */
    sodium_free(buffer: Buffer): void;
    /** Throws when the limit on locked memory (RLIMIT_MEMLOCK) is reached. */
    sodium_mlock(buffer: Buffer): void;
    /** Zeroes the buffer and unlocks its pages. */
    sodium_munlock(buffer: Buffer): void;
    sodium_mprotect_noaccess(buffer: Buffer): void;
    sodium_mprotect_readonly(buffer: Buffer): void;
    sodium_mprotect_readwrite(buffer: Buffer): void;
    sodium_memzero(buffer: Uint8Array): void;
    /** Constant-time comparison of two buffers of one length. */
    sodium_memcmp(left: Uint8Array, right: Uint8Array): boolean;
    randombytes_buf(buffer: Uint8Array): void;

    readonly crypto_aead_xchacha20poly1305_ietf_KEYBYTES: number;
    readonly crypto_aead_xchacha20poly1305_ietf_NPUBBYTES: number;
    readonly crypto_aead_xchacha20poly1305_ietf_ABYTES: number;
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      ciphertext: Uint8Array,
      message: Uint8Array,
      associatedData: Uint8Array | null,
      secretNonce: null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
    /** Throws when the ciphertext is not authentic. */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Uint8Array,
      secretNonce: null,
      ciphertext: Uint8Array,
      associatedData: Uint8Array | null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;

    crypto_generichash(output: Uint8Array, input: Uint8Array, key?: Uint8Array): void;

    readonly crypto_pwhash_ALG_ARGON2ID13: number;
    readonly crypto_pwhash_SALTBYTES: number;
    /** Passes over the memory. */
    readonly crypto_pwhash_OPSLIMIT_INTERACTIVE: number;
    readonly crypto_pwhash_OPSLIMIT_MODERATE: number;
    /** Bytes. */
    readonly crypto_pwhash_MEMLIMIT_INTERACTIVE: number;
    readonly crypto_pwhash_MEMLIMIT_MODERATE: number;
    /** Argon2 (RFC 9106) with one lane. Throws when the memory can't be had. */
    crypto_pwhash(
      output: Uint8Array,
      password: Uint8Array,
      salt: Uint8Array,
      passes: number,
      memoryBytes: number,
      algorithm: number,
    ): void;

    readonly crypto_sign_BYTES: number;
    readonly crypto_sign_SEEDBYTES: number;
    readonly crypto_sign_PUBLICKEYBYTES: number;
    readonly crypto_sign_SECRETKEYBYTES: number;
    crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
    crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
    /** Whether 32 bytes are a point of the prime order group of edwards25519, and not its neutral element, in its one encoding. */
    crypto_core_ed25519_is_valid_point(point: Uint8Array): boolean;
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  };
  export default sodium;
}
