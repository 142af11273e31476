import { encodeBase64 } from './encode-base64.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { MalformedSecretError } from './malformed-secret-error.ts';

const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;

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
    'it is not one line of visible ASCII characters without blanks, as platforms give out secrets; ' +
      'if the secret is exactly the bytes of this file, name format raw',
  );
}

function tooLong(output: Buffer): MalformedSecretError {
  return new MalformedSecretError(`it makes a secret of more than ${output.length} bytes`);
}
