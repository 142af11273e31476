import { decodeBase58, getBytes, toBeHex } from 'ethers/utils';
import { isEd25519Signature } from '../contracts/independent-verification.ts';

/** A signature result with the payload of `?include=payload`. */
export interface SignatureResult {
  readonly signature: string;
  readonly algorithm: string;
  readonly encoding: string;
  readonly publicKey: string;
  readonly signedAt: string;
  readonly payload?: string;
  readonly payloadEncoding?: string;
  readonly payloadParts?: object;
}

/** Verifies a base58 signature with node:crypto. */
export function verifiesEd25519(publicKey: string, message: string | Buffer, signature: string): boolean {
  return isEd25519Signature(publicKey, Buffer.from(message), base58Bytes(signature, 64));
}

/** Decodes base58 of a given length in bytes. */
export function base58Bytes(text: string, length: number): Buffer {
  return Buffer.from(getBytes(toBeHex(decodeBase58(text), length)));
}
