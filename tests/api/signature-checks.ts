import { createPublicKey, verify } from 'node:crypto';
import canonicalize from 'canonicalize';
import { decodeBase58, getBytes, toBeHex } from 'ethers';

/** A signature result as the specification has it, and the payload of `?include=payload`. */
export interface SignatureResult {
  readonly signature: string;
  readonly algorithm: string;
  readonly encoding: string;
  readonly publicKey: string;
  readonly signedAt: string;
  readonly payload?: string;
  readonly payloadEncoding?: string;
}

/** DER of a SubjectPublicKeyInfo of Ed25519 up to the 32 bytes of the key (RFC 8410 §4). */
const ED25519_SPKI_PREFIX = '302a300506032b6570032100';

/** Whether node:crypto takes this base58 signature over the message for the base58 key's. */
export function verifiesEd25519(publicKey: string, message: string | Buffer, signature: string): boolean {
  const key = createPublicKey({
    key: Buffer.concat([Buffer.from(ED25519_SPKI_PREFIX, 'hex'), base58Bytes(publicKey, 32)]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(message), key, base58Bytes(signature, 64));
}

/** Decodes base58 of so many bytes. */
export function base58Bytes(text: string, length: number): Buffer {
  return Buffer.from(getBytes(toBeHex(decodeBase58(text), length)));
}

/** RFC 8785 form, by a library that the service does not use. */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('The value has no canonical form.');
  return text;
}
