import { digitTable, NOT_A_DIGIT } from './digit-table.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { MalformedSecretError } from './malformed-secret-error.ts';

const DIGITS = digitTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = 0x3d;

/**
 * Decodes ASCII base64: the standard alphabet, padded (RFC 4648 §4), canonical (§3.5: unused bits are zero), in one line with one optional
 * final newline. Neither text nor bytes leave the two buffers.
 *
 * @returns number of bytes written to `output`
 * @throws MalformedSecretError on anything else, nothing at all included, and when `output` is too small
 */
export function decodeBase64(text: Buffer, output: Buffer): number {
  const padded = withoutFinalNewline(text);
  if (padded.length === 0) throw new MalformedSecretError('it holds no base64 digits');
  if (padded.length % 4 !== 0) {
    throw new MalformedSecretError('its base64 is not padded with = to a multiple of four characters');
  }
  const digits = withoutPadding(padded);
  const length = Math.floor((digits.length * 6) / 8);
  if (length > output.length) throw new MalformedSecretError(`it holds more than ${output.length} bytes`);

  let pending = 0;
  let pendingBits = 0;
  let written = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const value = DIGITS.readUInt8(digits.readUInt8(index));
    if (value === NOT_A_DIGIT) {
      throw new MalformedSecretError('it holds a character that is no base64 digit (A-Z, a-z, 0-9, +, /)');
    }
    pending = (pending << 6) | value;
    pendingBits += 6;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    output[written] = pending >> pendingBits;
    written += 1;
    pending &= (1 << pendingBits) - 1;
  }
  if (pending !== 0) throw new MalformedSecretError('its last base64 digit has bits that belong to no byte');
  return written;
}

function withoutPadding(text: Buffer): Buffer {
  if (text.at(-1) !== PADDING) return text;
  return text.subarray(0, text.at(-2) === PADDING ? -2 : -1);
}
