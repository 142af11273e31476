import { digitTable, NOT_A_DIGIT } from './digit-table.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { MalformedSecretError } from './malformed-secret-error.ts';

const DIGITS = digitTable('0123456789abcdef', '0123456789ABCDEF');
const PREFIX = Buffer.from('0x');

/**
 * Decodes ASCII hex, two digits of either case for each byte, with an optional `0x` in front and one optional final newline.
 * Neither text nor bytes leave the two buffers.
 *
 * @returns number of bytes written to `output`
 * @throws MalformedSecretError on anything else, nothing at all included, and when `output` is too small
 */
export function decodeHex(text: Buffer, output: Buffer): number {
  const digits = withoutPrefix(withoutFinalNewline(text));
  if (digits.length === 0) throw new MalformedSecretError('it holds no hex digits');
  if (digits.length % 2 !== 0) throw new MalformedSecretError('it holds an odd number of hex digits');
  const length = digits.length / 2;
  if (length > output.length) throw new MalformedSecretError(`it holds more than ${output.length} bytes`);
  for (let index = 0; index < length; index += 1) {
    const high = DIGITS.readUInt8(digits.readUInt8(2 * index));
    const low = DIGITS.readUInt8(digits.readUInt8(2 * index + 1));
    if (high === NOT_A_DIGIT || low === NOT_A_DIGIT) {
      throw new MalformedSecretError('it holds a character that is no hex digit (0-9, a-f, A-F)');
    }
    output[index] = high * 16 + low;
  }
  return length;
}

function withoutPrefix(text: Buffer): Buffer {
  return text.subarray(0, PREFIX.length).equals(PREFIX) ? text.subarray(PREFIX.length) : text;
}
