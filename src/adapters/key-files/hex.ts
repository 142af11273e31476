import { digitTable, MalformedSecretError, NOT_A_DIGIT, withoutFinalNewline } from './secret-text.ts';

const DIGITS = digitTable('0123456789abcdef', '0123456789ABCDEF');
const PREFIX = Buffer.from('0x');

/**
 * Decodes ASCII hex of either case with optional `0x` and final newline. Uses no memory but the two
 * buffers.
 * @returns bytes written to `output`
 * @throws MalformedSecretError on other or empty input, or if `output` is too small
 */
export function decodeHex(text: Buffer, output: Buffer): number {
  const digits = stripPrefix(withoutFinalNewline(text));
  if (digits.length === 0) throw new MalformedSecretError('it has no hex digits');
  if (digits.length % 2 !== 0) throw new MalformedSecretError('it has an odd number of hex digits');
  const length = digits.length / 2;
  if (length > output.length) throw new MalformedSecretError(`it has more than ${output.length} bytes`);
  for (let index = 0; index < length; index += 1) {
    const high = DIGITS.readUInt8(digits.readUInt8(2 * index));
    const low = DIGITS.readUInt8(digits.readUInt8(2 * index + 1));
    if (high === NOT_A_DIGIT || low === NOT_A_DIGIT) {
      throw new MalformedSecretError('it has a character that is not a hexadecimal digit (0-9, a-f, A-F)');
    }
    output[index] = high * 16 + low;
  }
  return length;
}

function stripPrefix(text: Buffer): Buffer {
  return text.subarray(0, PREFIX.length).equals(PREFIX) ? text.subarray(PREFIX.length) : text;
}

const HEX_DIGITS = Buffer.from('0123456789abcdef');

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
