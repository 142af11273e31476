import { verify } from 'node:crypto';

/**
 * A P-256 public key: base64 of DER SubjectPublicKeyInfo (RFC 5480 §2) with an uncompressed point,
 * 91 bytes.
 */
export const P256_KEY = /^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z0-9+/]{86}==$/;

/**
 * Verifies a signature r‖s of 64 bytes (RFC 7518 §3.4). False for a key that is not on the curve.
 */
export function isEs256Signature(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (!P256_KEY.test(publicKey)) return false;
  const key = Buffer.from(publicKey, 'base64');
  try {
    return verify('sha256', bytes, { key, format: 'der', type: 'spki', dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}
