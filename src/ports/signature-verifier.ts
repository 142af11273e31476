/**
 * Ed25519 (RFC 8032 §5.1.7).
 *
 * An adapter MUST answer false, never an error, for anything malformed; for a signature whose scalar is not below the order of the group; and for a public key of small order or in another than its
 * one encoding, under which signatures can be made that fit more than one message.
 */
export interface SignatureVerifier {
  /** Whether `signature` is this public key's over `message`. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}
