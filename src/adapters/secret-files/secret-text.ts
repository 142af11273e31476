const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A view of `text` without one final LF or CRLF. */
export function withoutFinalNewline(text: Buffer): Buffer {
  if (text.at(-1) !== LINE_FEED) return text;
  return text.subarray(0, text.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

/** Lower case first: the position of a digit is its value. */
const HEX_DIGITS = Buffer.from('0123456789abcdefABCDEF');

/** Value of an ASCII hex digit of either case; -1 for another byte. */
function hexValue(byte: number): number {
  const position = HEX_DIGITS.indexOf(byte);
  return position < 16 ? position : position - 6;
}

/** Whether a byte is an ASCII hex digit of either case. */
export function isHexDigit(byte: number): boolean {
  return hexValue(byte) !== -1;
}

/**
 * Decodes ASCII hex of either case, two digits for each byte of `output`. Uses no memory but the
 * two buffers.
 * @returns whether `text` is that; if not, `output` may be partly written
 */
export function decodeHex(text: Buffer, output: Buffer): boolean {
  if (text.length !== 2 * output.length || !text.every(isHexDigit)) return false;
  for (let index = 0; index < output.length; index += 1) {
    output[index] = hexValue(text.readUInt8(2 * index)) * 16 + hexValue(text.readUInt8(2 * index + 1));
  }
  return true;
}

/**
 * Encodes lowercase hex without a string, unlike `toString('hex')`.
 * @throws RangeError if `output` is too small
 */
export function encodeHex(bytes: Buffer, output: Buffer): void {
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes.readUInt8(index);
    output.writeUInt8(HEX_DIGITS.readUInt8(byte >> 4), 2 * index);
    output.writeUInt8(HEX_DIGITS.readUInt8(byte & 0x0f), 2 * index + 1);
  }
}
