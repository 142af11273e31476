import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decodeText } from './encodings.ts';

const KEY_BYTES = 32;

/** DER of an Ed25519 PKCS#8 key up to its 32-byte seed (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const HEX_KEY = /^[0-9a-f]{64}$/i;

/**
 * Opens a private key: 64 hex digits of the seed, as `token issue --new-key-file` writes it, or
 * unencrypted PKCS#8 PEM. Throws a TypeError without key material.
 */
export function openPrivateKey(text: string): KeyObject {
  const trimmed = text.trim();
  const key = HEX_KEY.test(trimmed) ? openSeed(trimmed) : openPem(trimmed);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new TypeError(
    'authentication.privateKey must be an Ed25519 private key: 64 hex digits, or PKCS#8 PEM without a passphrase.',
  );
}

/** The 32 bytes of a public key in base58 or 64 hex digits; null if malformed. */
export function readPublicKey(text: string): Buffer | null {
  const trimmed = text.trim();
  const bytes = HEX_KEY.test(trimmed) ? Buffer.from(trimmed, 'hex') : decodeText(trimmed, 'base58');
  return bytes?.length === KEY_BYTES ? bytes : null;
}

/** Verifies an Ed25519 signature (RFC 8032 §5.1). */
export function isEd25519Signature(publicKey: Buffer, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
  return verify(null, bytes, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

function openSeed(hex: string): KeyObject {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(hex, 'hex')]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function openPem(text: string): KeyObject | null {
  try {
    return createPrivateKey({ key: text, format: 'pem' });
  } catch {
    return null;
  }
}
