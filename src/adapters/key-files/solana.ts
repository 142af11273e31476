import { MalformedSecretError, skipWhitespace } from './secret-text.ts';

const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;
const KEY_PAIR_BYTES = 64;

/**
 * Decodes a `solana-keygen` file without JSON.parse, in the two buffers: a JSON array (RFC 8259 §5)
 * of integers from 0 to 255, seed then public key.
 * @returns bytes written to `output`; the caller checks the length
 * @throws MalformedSecretError on other input, or if `output` is too small
 */
export function decodeSolana(text: Buffer, output: Buffer): number {
  let position = skipWhitespace(text, 0);
  if (text[position] !== OPENING_BRACKET) throw malformed();
  for (let count = 0; ; ) {
    // After the bracket or comma.
    position = skipWhitespace(text, position + 1);
    const end = endOfDigits(text, position);
    const byte = parseByte(text.subarray(position, end));
    if (count === output.length) throw tooMany(output);
    output[count] = byte;
    count += 1;
    position = skipWhitespace(text, end);
    if (text[position] === COMMA) continue;
    if (text[position] !== CLOSING_BRACKET) throw malformed();
    if (skipWhitespace(text, position + 1) === text.length) return count;
    throw new MalformedSecretError('it has content after its array; keep one key per file');
  }
}

function endOfDigits(text: Buffer, start: number): number {
  let end = start;
  while (isDigit(text[end])) end += 1;
  return end;
}

function isDigit(character: number | undefined): boolean {
  return character !== undefined && character >= DIGIT_ZERO && character <= DIGIT_NINE;
}

function parseByte(digits: Buffer): number {
  if (digits.length === 0 || digits.length > 3) throw malformed();
  if (digits.length > 1 && digits[0] === DIGIT_ZERO) throw malformed();
  let value = 0;
  for (const digit of digits) value = value * 10 + digit - DIGIT_ZERO;
  if (value > 0xff) throw malformed();
  return value;
}

function malformed(): MalformedSecretError {
  return new MalformedSecretError(
    'it is not a JSON array of integers from 0 to 255, the key pair format of solana-keygen; the file may be truncated or changed',
  );
}

function tooMany(output: Buffer): MalformedSecretError {
  const advice = output.length < KEY_PAIR_BYTES ? '; a Solana key pair has 64 bytes and is only for ed25519' : '';
  return new MalformedSecretError(`it has more than ${output.length} bytes${advice}`);
}
