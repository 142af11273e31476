import type { AccessToken } from '../domain/model/authentication.ts';

/** Trusted token authorities. An adapter MUST replace the list, never alter it, on a change. */
export interface AccessAuthorities {
  /** Ed25519 public keys, 32 bytes each. */
  readonly current: readonly Uint8Array[];
}

/** The service's identity towards callers. Its key MUST NOT leave the adapter. */
export interface ServiceIdentity {
  /** The service's token. An adapter MUST replace the object, never alter it, on a change. */
  readonly token: AccessToken;

  /** Whether this is the service's public key; an adapter MUST compare in constant time. */
  isOwn(publicKey: Uint8Array): boolean;

  /** The service's Ed25519 signature over `message`, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

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
