import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decodeText } from './encodings.ts';

/** An RSA public key. */
export interface RsaPublicKey {
  readonly key: KeyObject;
  /** Length of the modulus and of each signature. */
  readonly bytes: number;
}

/** Base64 of 294 to 558 bytes of SubjectPublicKeyInfo, moduli of 2048 to 4096 bits. */
const SPKI_TEXT = /^MII[0-9A-Za-z+/]{380,760}={0,2}$/;
const BITS = { min: 2048, max: 4096 };

/**
 * A public key of `rsa-sha256`, base64 of SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7); null if
 * malformed.
 */
export function readRsaPublicKey(text: string): RsaPublicKey | null {
  const der = SPKI_TEXT.test(text) ? decodeText(text, 'base64') : null;
  if (der === null) return null;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
    return bits >= BITS.min && bits <= BITS.max ? { key, bytes: Math.ceil(bits / 8) } : null;
  } catch {
    return null;
  }
}

/** Verifies RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2.2). */
export function isRsaSignature({ key }: RsaPublicKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  return verify('sha256', bytes, key, signature);
}
