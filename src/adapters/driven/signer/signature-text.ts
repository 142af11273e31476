import bs58 from 'bs58';
import type { SignatureEncoding } from '../../../domain/model/signature-encoding.ts';

/** Writes a signature's bytes as text; `hex` without prefix. */
export function encodeSignature(signature: Buffer, encoding: SignatureEncoding): string {
  return encoding === 'base58' ? bs58.encode(signature) : signature.toString(encoding);
}

/** Reads a signature's text back; undefined unless it is exactly what {@link encodeSignature} writes for `length` bytes. */
export function decodeSignature(text: string, encoding: SignatureEncoding, length: number): Buffer | undefined {
  const bytes = encoding === 'base58' ? bs58.decodeUnsafe(text) : Buffer.from(text, encoding);
  if (bytes === undefined || bytes.length !== length) return undefined;
  const signature = Buffer.from(bytes);
  return encodeSignature(signature, encoding) === text ? signature : undefined;
}
