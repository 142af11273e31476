import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import { decodeBase58, encodeBase58 } from '../../domain/model/text/byte-encodings.ts';

export function encodeSignature(signature: Buffer, encoding: SignatureEncoding): string {
  if (encoding === 'base58') return encodeBase58(signature);
  if (encoding === 'base64url-padded') {
    return signature.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  }
  return encoding === '0x-hex' ? `0x${signature.toString('hex')}` : signature.toString(encoding);
}

/** Decodes what {@link encodeSignature} writes for `length` bytes; undefined for any other text. */
export function decodeSignature(text: string, encoding: SignatureEncoding, length: number): Buffer | undefined {
  const bytes = decode(text, encoding);
  if (bytes === undefined || bytes.length !== length) return undefined;
  const signature = Buffer.from(bytes);
  return encodeSignature(signature, encoding) === text ? signature : undefined;
}

/** Lenient; the caller checks that the result encodes to the same text. */
function decode(text: string, encoding: SignatureEncoding): Uint8Array | undefined {
  if (encoding === 'base58') return decodeBase58(text);
  if (encoding === '0x-hex') return Buffer.from(text.slice(2), 'hex');
  return Buffer.from(text, encoding === 'base64url-padded' ? 'base64url' : encoding);
}

/** ASCII of "signing-service/key-self-test/v1", which is not a valid request on any platform. */
export const SELF_TEST_PROBE: Uint8Array = Buffer.from('signing-service/key-self-test/v1', 'ascii');
