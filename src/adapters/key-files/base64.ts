import { digitTable, MalformedSecretError, NOT_A_DIGIT, withoutFinalNewline } from './secret-text.ts';

const DIGITS = digitTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const URL_DIGITS = digitTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const PADDING = 0x3d;

/**
 * Decodes one line of ASCII base64: standard alphabet, padded (RFC 4648 §4), canonical (§3.5), with
 * an optional final newline. Uses no memory but the two buffers.
 * @returns bytes written to `output`
 * @throws MalformedSecretError on other or empty input, or if `output` is too small
 */
export function decodeBase64(text: Buffer, output: Buffer): number {
  const padded = withoutFinalNewline(text);
  if (padded.length === 0) throw new MalformedSecretError('it has no base64 digits');
  if (padded.length % 4 !== 0) {
    throw new MalformedSecretError('its base64 is not padded with = to a multiple of four characters');
  }
  return decodeDigits(withoutPadding(padded), DIGITS, output);
}

/**
 * Like {@link decodeBase64} for the URL-safe alphabet (RFC 4648 §5), padded or not, as venues and
 * their libraries write it.
 */
export function decodeBase64Url(text: Buffer, output: Buffer): number {
  const written = withoutFinalNewline(text);
  if (written.length === 0) throw new MalformedSecretError('it has no base64url digits');
  const digits = withoutPadding(written);
  if (digits.length % 4 === 1 || (digits.length !== written.length && written.length % 4 !== 0)) {
    throw new MalformedSecretError('its base64url has a digit or padding too many or too few');
  }
  return decodeDigits(digits, URL_DIGITS, output);
}

/** Decodes digits without padding. */
function decodeDigits(digits: Buffer, alphabet: Buffer, output: Buffer): number {
  const length = Math.floor((digits.length * 6) / 8);
  if (length > output.length) throw new MalformedSecretError(`it has more than ${output.length} bytes`);

  let pending = 0;
  let pendingBits = 0;
  let written = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const value = alphabet.readUInt8(digits.readUInt8(index));
    if (value === NOT_A_DIGIT) {
      const last = alphabet === DIGITS ? '+, /' : '-, _';
      throw new MalformedSecretError(`it has a character that is not a base64 digit (A-Z, a-z, 0-9, ${last})`);
    }
    pending = (pending << 6) | value;
    pendingBits += 6;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    output[written] = pending >> pendingBits;
    written += 1;
    pending &= (1 << pendingBits) - 1;
  }
  if (pending !== 0) throw new MalformedSecretError('its last base64 digit has unused bits set');
  return written;
}

function withoutPadding(text: Buffer): Buffer {
  if (text.at(-1) !== PADDING) return text;
  return text.subarray(0, text.at(-2) === PADDING ? -2 : -1);
}

const BASE64_DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

/**
 * Encodes padded base64 (RFC 4648 §4) without a string, unlike `toString('base64')`.
 * @returns bytes written to `output`, four per three begun
 * @throws RangeError if `output` is too small
 */
export function encodeBase64(bytes: Buffer, output: Buffer): number {
  let written = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    const left = bytes.length - index;
    const first = bytes.readUInt8(index);
    const second = left > 1 ? bytes.readUInt8(index + 1) : 0;
    const third = left > 2 ? bytes.readUInt8(index + 2) : 0;
    output.writeUInt8(BASE64_DIGITS.readUInt8(first >> 2), written);
    output.writeUInt8(BASE64_DIGITS.readUInt8(((first & 0x03) << 4) | (second >> 4)), written + 1);
    output.writeUInt8(left > 1 ? BASE64_DIGITS.readUInt8(((second & 0x0f) << 2) | (third >> 6)) : PADDING, written + 2);
    output.writeUInt8(left > 2 ? BASE64_DIGITS.readUInt8(third & 0x3f) : PADDING, written + 3);
    written += 4;
  }
  return written;
}
