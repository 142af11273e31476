import { decodeBase58 } from './base58.ts';

/** Bytes of a text in one of the encodings of signatures; null where it is none, or is not written in its one way. */
export function decodeText(text: string, encoding: string): Buffer | null {
  if (encoding === 'base58') return decodeBase58(text);
  if (encoding === 'base64' || encoding === 'base64url') return exactly(text, encoding);
  if (encoding === '0x-hex') return text.startsWith('0x') ? exactly(text.slice(2), 'hex') : null;
  if (encoding === 'hex') return exactly(text, encoding);
  return null;
}

/** Every reading of a text as so many bytes, for a signature whose encoding the answer does not name. */
export function readingsOf(text: string, length: number): readonly Buffer[] {
  return ['base58', 'base64', 'base64url', 'hex', '0x-hex'].flatMap((encoding) => {
    const bytes = decodeText(text, encoding);
    return bytes?.length === length ? [bytes] : [];
  });
}

function exactly(text: string, encoding: 'base64' | 'base64url' | 'hex'): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return text !== '' && bytes.toString(encoding) === text ? bytes : null;
}
