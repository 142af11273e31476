/**
 * Ed25519 (RFC 8032 §5.1.7).
 *
 * An adapter MUST return false, never throw, for malformed input, for a scalar not below the group
 * order, and for a public key of small order or in a non-canonical encoding, under which a
 * signature can fit several messages.
 */
export interface SignatureVerifier {
  /** Whether `signature` is this key's over `message`. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}
