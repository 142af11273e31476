import { copySecret } from '../vault/secret-bytes.ts';
import { encodeBase64 } from './base64.ts';
import { MalformedSecretError, withoutFinalNewline } from './secret-text.ts';

const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const TAB = 0x09;

/**
 * Copies a text secret: one line of printable ASCII (0x21 to 0x7e), optional final newline. Uses no
 * memory but the two buffers.
 * @returns bytes written to `output`
 * @throws MalformedSecretError on other input, or if `output` is too small
 */
export function decodeText(text: Buffer, output: Buffer): number {
  const characters = parseVisibleText(text);
  if (characters.length > output.length) throw tooLong(output);
  return copySecret(characters, output);
}

/**
 * {@link decodeText} that writes the text's base64 (RFC 4648 §4, padded), for platforms whose SDK
 * uses that as the key.
 */
export function decodeTextToBase64(text: Buffer, output: Buffer): number {
  const characters = parseVisibleText(text);
  if (4 * Math.ceil(characters.length / 3) > output.length) throw tooLong(output);
  return encodeBase64(characters, output);
}

function parseVisibleText(text: Buffer): Buffer {
  const characters = withoutFinalNewline(text);
  if (characters.length === 0) throw new MalformedSecretError('it has no text');
  if (characters.every((byte) => byte >= FIRST_VISIBLE && byte <= LAST_VISIBLE)) return characters;
  throw new MalformedSecretError(
    `${describeMistake(characters)}; a secret is one line of visible ASCII characters without spaces`,
  );
}

/** The probable mistake. */
function describeMistake(characters: Buffer): string {
  if (characters.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
    return 'it begins with a byte order mark; save it as UTF-8 without one';
  }
  if (characters.includes(LINE_FEED) || characters.includes(CARRIAGE_RETURN)) return 'it has more than one line';
  if (characters.includes(BLANK) || characters.includes(TAB)) return 'it contains a space or tab';
  return 'it has bytes that are not visible ASCII characters; if they are the secret itself, use format raw';
}

function tooLong(output: Buffer): MalformedSecretError {
  return new MalformedSecretError(`its secret has more than ${output.length} bytes`);
}
