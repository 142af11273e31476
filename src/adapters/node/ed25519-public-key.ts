import { createPublicKey, type KeyObject } from 'node:crypto';

const PUBLIC_KEY_BYTES = 32;

/** The key object of a raw Ed25519 public key (RFC 8032 §5.1.5); null unless it has 32 bytes. */
export function toPublicKeyObject(publicKey: Uint8Array): KeyObject | null {
  if (publicKey.length !== PUBLIC_KEY_BYTES) return null;
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/**
 * Encodes a raw Ed25519 public key as SubjectPublicKeyInfo in PEM (RFC 8410 §4, RFC 7468 §13).
 * @throws RangeError unless it has 32 bytes
 */
export function encodePublicKeyPem(publicKey: Uint8Array): string {
  const key = toPublicKeyObject(publicKey);
  if (key === null) throw new RangeError(`An Ed25519 public key has ${PUBLIC_KEY_BYTES} bytes.`);
  return String(key.export({ type: 'spki', format: 'pem' }));
}

/** Decodes the 32 bytes of an Ed25519 public key from PEM; null for any other text or key. */
export function decodePublicKeyPem(pem: string): Buffer | null {
  try {
    const { crv, x } = createPublicKey({ key: pem, format: 'pem' }).export({ format: 'jwk' });
    return crv === 'Ed25519' && x !== undefined ? Buffer.from(x, 'base64url') : null;
  } catch {
    // OpenSSL throws for non-keys.
    return null;
  }
}
