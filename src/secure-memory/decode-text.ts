import { encodeBase64 } from './encode-base64.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { MalformedSecretError } from './malformed-secret-error.ts';

const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const TAB = 0x09;

/**
 * Takes the characters of a text as the secret's bytes: visible ASCII (0x21 to 0x7e) in one line, one optional final newline not counted. Anything
 * else is more likely a slip of whoever wrote the file than a part of a secret. Neither text nor bytes leave the two buffers.
 *
 * @returns number of bytes written to `output`
 * @throws MalformedSecretError on anything else, nothing at all included, and when `output` is too small
 */
export function decodeText(text: Buffer, output: Buffer): number {
  const characters = visibleText(text);
  if (characters.length > output.length) throw tooLong(output);
  return characters.copy(output);
}

/** The same for the base64 form (RFC 4648 §4, padded) of the text, as ASCII: what platforms use whose SDK encodes the secret and then takes that as the key. */
export function decodeTextToBase64(text: Buffer, output: Buffer): number {
  const characters = visibleText(text);
  if (4 * Math.ceil(characters.length / 3) > output.length) throw tooLong(output);
  return encodeBase64(characters, output);
}

function visibleText(text: Buffer): Buffer {
  const characters = withoutFinalNewline(text);
  if (characters.length === 0) throw new MalformedSecretError('it holds no text');
  if (characters.every((byte) => byte >= FIRST_VISIBLE && byte <= LAST_VISIBLE)) return characters;
  throw new MalformedSecretError(
    `${slipOf(characters)}; a secret is one line of visible ASCII characters without blanks`,
  );
}

/** What whoever wrote the file probably did not mean. */
function slipOf(characters: Buffer): string {
  if (characters.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
    return 'it begins with a byte order mark; save it as UTF-8 without one';
  }
  if (characters.includes(LINE_FEED) || characters.includes(CARRIAGE_RETURN)) return 'it has more than one line';
  if (characters.includes(BLANK) || characters.includes(TAB)) return 'it has a blank in it or at an end';
  return 'it holds bytes that are no visible ASCII characters; if they are the secret itself, name format raw';
}

function tooLong(output: Buffer): MalformedSecretError {
  return new MalformedSecretError(`it makes a secret of more than ${output.length} bytes`);
}
