import { withLockedBytes } from '../vault/locked-buffer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { digitTable, MalformedSecretError, NOT_A_DIGIT, withoutFinalNewline } from './secret-text.ts';

const DIGITS = digitTable('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
const BASE = 58;
const ZERO = 0x31;

/**
 * Decodes ASCII base58 (Bitcoin's alphabet, no checksum, draft-msporny-base58-03 §4) with an
 * optional final newline, in locked memory. Each leading `1` is a zero byte.
 * @returns bytes written to `output`
 * @throws MalformedSecretError on other or empty input, or if `output` is too small
 */
export function decodeBase58(text: Buffer, output: Buffer): number {
  const digits = withoutFinalNewline(text);
  if (digits.length === 0) throw new MalformedSecretError('it has no base58 digits');
  return withLockedBytes(output.length, (number) => {
    for (let index = 0; index < digits.length; index += 1) {
      const value = DIGITS.readUInt8(digits.readUInt8(index));
      if (value === NOT_A_DIGIT) {
        throw new MalformedSecretError('it has a character that is not a base58 digit (Bitcoin alphabet)');
      }
      appendDigit(number, value);
    }
    const significant = number.length - leading(number, 0);
    const length = leading(digits, ZERO) + significant;
    if (length > output.length) throw tooLong(output);
    output.fill(0, 0, length - significant);
    copySecret(number.subarray(number.length - significant), output.subarray(length - significant));
    return length;
  });
}

/** `number` = `number` × 58 + `digit`, big-endian. */
function appendDigit(number: Buffer, digit: number): void {
  let carry = digit;
  for (let index = number.length - 1; index >= 0; index -= 1) {
    carry += number.readUInt8(index) * BASE;
    number[index] = carry & 0xff;
    carry >>= 8;
  }
  if (carry !== 0) throw tooLong(number);
}

/** Number of leading bytes equal to `byte`. */
function leading(bytes: Buffer, byte: number): number {
  let count = 0;
  while (bytes[count] === byte) count += 1;
  return count;
}

function tooLong(output: Buffer): MalformedSecretError {
  return new MalformedSecretError(`it has more than ${output.length} bytes`);
}
