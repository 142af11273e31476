import { createPublicKey, verify } from 'node:crypto';
import { decodeBase58, getBytes, toBeHex } from 'ethers';

/** A signature result with the payload of `?include=payload`. */
export interface SignatureResult {
  readonly signature: string;
  readonly algorithm: string;
  readonly encoding: string;
  readonly publicKey: string;
  readonly signedAt: string;
  readonly payload?: string;
  readonly payloadEncoding?: string;
}

/** DER prefix of an Ed25519 SubjectPublicKeyInfo, before the 32 key bytes (RFC 8410 §4). */
const ED25519_SPKI_PREFIX = '302a300506032b6570032100';

/** Verifies a base58 signature with node:crypto. */
export function verifiesEd25519(publicKey: string, message: string | Buffer, signature: string): boolean {
  const key = createPublicKey({
    key: Buffer.concat([Buffer.from(ED25519_SPKI_PREFIX, 'hex'), base58Bytes(publicKey, 32)]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(message), key, base58Bytes(signature, 64));
}

/** Decodes base58 of a given length in bytes. */
export function base58Bytes(text: string, length: number): Buffer {
  return Buffer.from(getBytes(toBeHex(decodeBase58(text), length)));
}
