import { skipWhitespace } from '../../key-files/secret-text.ts';

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Length of `\u0041`. */
const UNICODE_ESCAPE = 6;

/** No JSON string is at that place. The message is a clause about "it", without content. */
export class JsonStringError extends Error {
  override readonly name = 'JsonStringError';
}

/**
 * Finds a string in a JSON object (RFC 8259) without making a JavaScript string of it. Escapes of
 * ASCII characters are replaced in place, so `json` is modified.
 * @param path names of members, outermost first
 * @returns a view of `json`
 * @throws JsonStringError if there is none, or for malformed JSON on the way
 */
export function findJsonString(json: Buffer, ...path: readonly string[]): Buffer {
  let position = skipWhitespace(json, 0);
  for (const name of path) position = findMember(json, position, name);
  if (json[position] !== QUOTE) throw missing(path.join('.'));
  return unescapeInPlace(json.subarray(position + 1, endOfString(json, position) - 1));
}

/** Whether there is such a string. */
export function hasJsonString(json: Buffer, ...path: readonly string[]): boolean {
  try {
    findJsonString(json, ...path);
    return true;
  } catch (error) {
    if (error instanceof JsonStringError) return false;
    throw error;
  }
}

/** Position of a member's value; its name must be written without escapes. */
function findMember(json: Buffer, start: number, name: string): number {
  if (json[start] !== OPEN_OBJECT) throw missing(name);
  const wanted = Buffer.from(JSON.stringify(name));
  let position = skipWhitespace(json, start + 1);
  while (json[position] === QUOTE) {
    const nameEnd = endOfString(json, position);
    const isWanted = json.subarray(position, nameEnd).equals(wanted);
    const colon = skipWhitespace(json, nameEnd);
    if (json[colon] !== COLON) throw malformed();
    const value = skipWhitespace(json, colon + 1);
    if (isWanted) return value;
    const after = skipWhitespace(json, endOfValue(json, value));
    if (json[after] !== COMMA) break;
    position = skipWhitespace(json, after + 1);
  }
  throw missing(name);
}

/** Position after a value; counts brackets, which strings do not contain. */
function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  let position = start;
  while (position < json.length) {
    const byte = json.readUInt8(position);
    if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY)) return position;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    position = byte === QUOTE ? endOfString(json, position) : position + 1;
  }
  throw malformed();
}

/** Position after the closing quote. */
function endOfString(json: Buffer, start: number): number {
  let position = start + 1;
  while (position < json.length) {
    const byte = json.readUInt8(position);
    if (byte === QUOTE) return position + 1;
    position += byte === BACKSLASH ? 2 : 1;
  }
  throw malformed();
}

function unescapeInPlace(text: Buffer): Buffer {
  let written = 0;
  let position = 0;
  while (position < text.length) {
    const byte = text.readUInt8(position);
    const [character, length] = byte === BACKSLASH ? unescapeAt(text, position) : [byte, 1];
    text.writeUInt8(character, written);
    written += 1;
    position += length;
  }
  return text.subarray(0, written);
}

/** Of ASCII only: secrets are base64 or visible ASCII, where others cannot occur. */
function unescapeAt(text: Buffer, position: number): readonly [character: number, length: number] {
  const kind = text[position + 1];
  if (kind === QUOTE || kind === BACKSLASH || kind === 0x2f) return [kind, 2];
  const digits = text.subarray(position + 2, position + UNICODE_ESCAPE);
  if (kind !== 0x75 || digits.length !== 4) throw malformed();
  const code = digits.reduce((sum, digit) => sum * 16 + hexValue(digit), 0);
  if (code > 0x7f) throw malformed();
  return [code, UNICODE_ESCAPE];
}

function hexValue(digit: number): number {
  if (digit >= 0x30 && digit <= 0x39) return digit - 0x30;
  const lower = digit | 0x20;
  if (lower >= 0x61 && lower <= 0x66) return lower - 0x61 + 10;
  throw malformed();
}

function missing(name: string): JsonStringError {
  return new JsonStringError(`it has no text ${name}`);
}

function malformed(): JsonStringError {
  return new JsonStringError('it is malformed JSON');
}
