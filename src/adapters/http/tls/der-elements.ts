/** An element of DER (X.690 §8.1). */
export interface DerElement {
  /** One byte: class, form and number below 31. */
  readonly tag: number;
  /** A view. */
  readonly content: Buffer;
}

const LONG_FORM = 0x80;
const HIGH_NUMBER = 0x1f;
/** Longer ones are not in 16 KiB of headers. */
const MAX_LENGTH_BYTES = 2;

/**
 * Reads consecutive elements with the shortest lengths (X.690 §10.1), up to 65,535 bytes each.
 * @throws RangeError for anything else, such as BER or missing bytes
 */
export function readElements(bytes: Buffer): readonly DerElement[] {
  const found: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at);
    if ((tag & HIGH_NUMBER) === HIGH_NUMBER) throw new RangeError('The tag has several bytes.');
    const { length, size } = readLength(bytes, at + 1);
    const begin = at + 1 + size;
    at = begin + length;
    if (at > bytes.length) throw new RangeError('The element is incomplete.');
    found.push({ tag, content: bytes.subarray(begin, at) });
  }
  return found;
}

/** @throws RangeError */
function readLength(bytes: Buffer, at: number): { readonly length: number; readonly size: number } {
  const first = bytes.readUInt8(at);
  if (first < LONG_FORM) return { length: first, size: 1 };
  const count = first - LONG_FORM;
  if (count === 0 || count > MAX_LENGTH_BYTES) throw new RangeError('The length is not DER or too long.');
  const length = bytes.readUIntBE(at + 1, count);
  if (length < LONG_FORM || length < 256 ** (count - 1)) throw new RangeError('The length is not the shortest.');
  return { length, size: 1 + count };
}
