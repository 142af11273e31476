import bs58 from 'bs58';
import type { SignatureEncoding } from '../../src/domain/model/algorithm.ts';

/** Decodes a signature's text leniently; hex with or without `0x`. */
export function signatureBytes(text: string, encoding: SignatureEncoding): Buffer {
  if (encoding === 'base58') return Buffer.from(bs58.decode(text));
  if (encoding === 'hex' || encoding === '0x-hex') return Buffer.from(text.replace(/^0x/, ''), 'hex');
  return Buffer.from(text, encoding === 'base64url-padded' ? 'base64url' : encoding);
}
