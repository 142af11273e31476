import type { SignatureEncoding } from '../../src/domain/model/algorithm.ts';
import { bs58 } from '../harness/base58.ts';

/** Decodes a signature's text leniently; hex with or without `0x`. */
export function signatureBytes(text: string, encoding: SignatureEncoding): Buffer {
  if (encoding === 'base58') return Buffer.from(bs58.decode(text));
  if (encoding === 'hex' || encoding === '0x-hex') return Buffer.from(text.replace(/^0x/, ''), 'hex');
  return Buffer.from(text, encoding === 'base64url-padded' ? 'base64url' : encoding);
}

/** A signature's text in an encoding. */
export function encodeLike(signature: Buffer, encoding: SignatureEncoding): string {
  if (encoding === 'base58') return bs58.encode(signature);
  if (encoding === 'base64url-padded') return signature.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  return encoding === '0x-hex' ? `0x${signature.toString('hex')}` : signature.toString(encoding);
}
