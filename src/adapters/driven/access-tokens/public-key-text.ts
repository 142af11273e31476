import { createPublicKey } from 'node:crypto';
import bs58 from 'bs58';
import sodium from 'sodium-native';

const HEX = /^[0-9a-fA-F]{64}$/;

/** What a public key in PEM begins with, and no private one. */
export const PUBLIC_PEM_HEADING = '-----BEGIN PUBLIC KEY-----';

/**
 * An Ed25519 public key in base58 or 64 hex digits, or as SubjectPublicKeyInfo in PEM (RFC 8410 §4), as OpenSSL writes it.
 * @returns null for anything else, and for 32 bytes that are no point of the prime order group in its one encoding: under some of those, everybody can sign
 */
export function parsePublicKey(text: string): Buffer | null {
  const trimmed = text.trim();
  const key = trimmed.startsWith(PUBLIC_PEM_HEADING) ? keyOfPem(trimmed) : keyOfText(trimmed);
  if (key?.length !== sodium.crypto_sign_PUBLICKEYBYTES) return null;
  return sodium.crypto_core_ed25519_is_valid_point(key) ? key : null;
}

/** The text of a public key: base58. */
export function publicKeyText(key: Uint8Array): string {
  return bs58.encode(key);
}

function keyOfText(text: string): Buffer | null {
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  // No key has more digits, and decoding takes time with their square.
  const bytes = text.length > 44 ? undefined : bs58.decodeUnsafe(text);
  return bytes === undefined ? null : Buffer.from(bytes);
}

function keyOfPem(pem: string): Buffer | null {
  try {
    const { crv, x } = createPublicKey({ key: pem, format: 'pem' }).export({ format: 'jwk' });
    return crv === 'Ed25519' && x !== undefined ? Buffer.from(x, 'base64url') : null;
  } catch {
    // OpenSSL throws for what is no key.
    return null;
  }
}
