import bs58 from 'bs58';
import type { SignatureEncoding } from '../../../domain/model/signature-encoding.ts';
import { base58Text } from './base58-text.ts';

/** Writes a signature's bytes as text. */
export function encodeSignature(signature: Buffer, encoding: SignatureEncoding): string {
  if (encoding === 'base58') return base58Text(signature);
  return encoding === '0x-hex' ? `0x${signature.toString('hex')}` : signature.toString(encoding);
}

/** Reads a signature's text back; undefined unless it is exactly what {@link encodeSignature} writes for `length` bytes. */
export function decodeSignature(text: string, encoding: SignatureEncoding, length: number): Buffer | undefined {
  const bytes = decode(text, encoding);
  if (bytes === undefined || bytes.length !== length) return undefined;
  const signature = Buffer.from(bytes);
  return encodeSignature(signature, encoding) === text ? signature : undefined;
}

/** As lenient as its decoders are; a text that they misread does not encode to itself. */
function decode(text: string, encoding: SignatureEncoding): Uint8Array | undefined {
  if (encoding === 'base58') return bs58.decodeUnsafe(text);
  return encoding === '0x-hex' ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text, encoding);
}
