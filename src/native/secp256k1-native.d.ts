/**
 * The used part of secp256k1-native 1.1 (bindings of bitcoin-core/secp256k1). Functions throw on
 * wrong argument lengths and when the library returns 0.
 */
declare module 'secp256k1-native' {
  /** Opaque pointer. */
  type Context = Buffer;

  const secp256k1: {
    readonly secp256k1_context_SIGN: number;
    readonly secp256k1_context_VERIFY: number;
    readonly secp256k1_ec_UNCOMPRESSED: number;
    readonly secp256k1_ec_COMPRESSED: number;
    /** 64. */
    readonly secp256k1_PUBKEYBYTES: number;
    /** 64. */
    readonly secp256k1_ecdsa_SIGBYTES: number;
    /** 65. */
    readonly secp256k1_ecdsa_recoverable_SIGBYTES: number;
    secp256k1_context_create(flags: number): Context;
    /** Blinds the context with 32 random bytes, against side channels. */
    secp256k1_context_randomize(context: Context, seed: Uint8Array): void;
    /** Whether 32 bytes are a valid private key: nonzero and below the group order. */
    secp256k1_ec_seckey_verify(context: Context, secretKey: Uint8Array): boolean;
    /** Writes the library's 64-byte public key. */
    secp256k1_ec_pubkey_create(context: Context, publicKey: Buffer, secretKey: Uint8Array): void;
    /** Reads 33 or 65 bytes (SEC 1 §2.3.4) into the library's 64-byte public key. */
    secp256k1_ec_pubkey_parse(context: Context, publicKey: Buffer, input: Uint8Array): void;
    /**
     * Adds 32 bytes to the private key in place, modulo the group order. Throws for a zero result.
     */
    secp256k1_ec_privkey_tweak_add(context: Context, secretKey: Uint8Array, tweak: Uint8Array): void;
    /** Writes 65 bytes, 0x04‖x‖y, for secp256k1_ec_UNCOMPRESSED, and 33 for COMPRESSED. */
    secp256k1_ec_pubkey_serialize(context: Context, output: Uint8Array, publicKey: Buffer, flags: number): number;
    /** Deterministic (RFC 6979), low s. Writes the library's 64-byte signature. */
    secp256k1_ecdsa_sign(context: Context, signature: Buffer, digest: Uint8Array, secretKey: Uint8Array): void;
    /** Whether the signature, with low s, is the key's. */
    secp256k1_ecdsa_verify(context: Context, signature: Buffer, digest: Uint8Array, publicKey: Buffer): boolean;
    /** Writes 64 bytes r‖s. */
    secp256k1_ecdsa_signature_serialize_compact(context: Context, output: Uint8Array, signature: Buffer): void;
    /** Deterministic (RFC 6979), low s. Writes the library's 65-byte signature. */
    secp256k1_ecdsa_sign_recoverable(
      context: Context,
      signature: Buffer,
      digest: Uint8Array,
      secretKey: Uint8Array,
    ): void;
    /** Writes 64 bytes r‖s; returns the recovery id, 0 to 3. */
    secp256k1_ecdsa_recoverable_signature_serialize_compact(
      context: Context,
      output: Uint8Array,
      signature: Buffer,
    ): number;
    /** Reads 64 bytes r‖s into the library's 64-byte signature. */
    secp256k1_ecdsa_signature_parse_compact(context: Context, signature: Buffer, input: Uint8Array): void;
    /** Writes the signer's public key in the library's 64-byte form. */
    secp256k1_ecdsa_recover(context: Context, publicKey: Buffer, signature: Buffer, digest: Uint8Array): void;
  };
  export default secp256k1;
}
