/**
 * The used part of sodium-native 5, whose published types are outdated. Functions throw on wrong
 * argument types or lengths.
 */
declare module 'sodium-native' {
  const sodium: {
    /** Guarded allocation filled with 0xdb. Ignores mlock failures: call sodium_mlock. */
    sodium_malloc(length: number): Buffer;
    /**
     * Detaches the buffer; wipes and unmaps it in the next event-loop tick. No effect on subarrays.
     */
    sodium_free(buffer: Buffer): void;
    /** Throws at the limit on locked memory (RLIMIT_MEMLOCK). */
    sodium_mlock(buffer: Buffer): void;
    /** Zeroes and unlocks. */
    sodium_munlock(buffer: Buffer): void;
    sodium_mprotect_noaccess(buffer: Buffer): void;
    sodium_mprotect_readonly(buffer: Buffer): void;
    sodium_mprotect_readwrite(buffer: Buffer): void;
    sodium_memzero(buffer: Uint8Array): void;
    /** Constant time. */
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
    /** Throws if the ciphertext is not authentic. */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Uint8Array,
      secretNonce: null,
      ciphertext: Uint8Array,
      associatedData: Uint8Array | null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;

    readonly crypto_stream_chacha20_ietf_KEYBYTES: number;
    readonly crypto_stream_chacha20_ietf_NONCEBYTES: number;
    /** XORs `input` with the key stream (RFC 8439 §2.4) into `output`, of the same length. */
    crypto_stream_chacha20_ietf_xor(output: Uint8Array, input: Uint8Array, nonce: Uint8Array, key: Uint8Array): void;

    /** SHA-256 (FIPS 180-4); output of 32 bytes. */
    crypto_hash_sha256(output: Uint8Array, input: Uint8Array): void;
    crypto_generichash(output: Uint8Array, input: Uint8Array, key?: Uint8Array): void;

    readonly crypto_pwhash_ALG_ARGON2ID13: number;
    readonly crypto_pwhash_SALTBYTES: number;
    readonly crypto_pwhash_OPSLIMIT_INTERACTIVE: number;
    readonly crypto_pwhash_OPSLIMIT_MODERATE: number;
    /** Bytes. */
    readonly crypto_pwhash_MEMLIMIT_INTERACTIVE: number;
    readonly crypto_pwhash_MEMLIMIT_MODERATE: number;
    /** Argon2 (RFC 9106), one lane. Throws if the memory cannot be allocated. */
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
    /**
     * Whether 32 bytes canonically encode a non-neutral point of edwards25519's prime order group.
     */
    crypto_core_ed25519_is_valid_point(point: Uint8Array): boolean;
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  };
  export default sodium;
}
