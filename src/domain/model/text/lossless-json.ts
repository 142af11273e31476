/** A key that its object already has. */
export interface DuplicateKey {
  /** Decoded: `"\u0061"` is `a`. */
  readonly name: string;
  /** Keys and indices from the root to the object; empty for the root. */
  readonly path: readonly (string | number)[];
  /** Position of the repeated key, in UTF-16 code units. */
  readonly offset: number;
}

/** Work in steps of a fraction of a millisecond, to yield in between. */
export type Steps<Result> = Generator<void, Result>;

/** Far beyond any real request or file. */
const MAX_LEVELS = 10_000;

/** Strings, numbers and other characters per step. */
const TOKENS_PER_STEP = 2000;

const WHITE_SPACE = ' \t\n\r';

interface Level {
  /** Null for an array. */
  readonly keys: Set<string> | null;
  at: string | number;
}

/** {@link duplicateKeySteps} in one go. */
export function findDuplicateKeys(text: string, limit?: number): readonly DuplicateKey[] | null {
  return runSteps(duplicateKeySteps(text, limit));
}

/**
 * Finds duplicate keys in text order. RFC 8259 §4 leaves open which value wins: `JSON.parse` keeps
 * the last, other parsers the first.
 * @param text valid for `JSON.parse`
 * @param limit maximum number of duplicates; a key that occurs three times counts as two
 * @returns null beyond 10,000 nested objects and arrays
 */
export function* duplicateKeySteps(
  text: string,
  limit = Number.POSITIVE_INFINITY,
): Steps<readonly DuplicateKey[] | null> {
  const duplicates: DuplicateKey[] = [];
  const levels: Level[] = [];
  let tokens = 0;
  for (let at = 0; at < text.length && duplicates.length < limit; at += 1) {
    const character = text[at];
    const level = levels.at(-1);
    if (character === '{') levels.push({ keys: new Set(), at: '' });
    else if (character === '[') levels.push({ keys: null, at: 0 });
    else if (character === '}' || character === ']') levels.pop();
    else if (character === ',' && typeof level?.at === 'number') level.at += 1;
    else if (character === '"') {
      const end = endOfString(text, at);
      if (level !== undefined && level.keys !== null && isBeforeColon(text, end)) {
        const name = decodeKey(text.slice(at + 1, end));
        if (level.keys.has(name)) duplicates.push({ name, path: pathTo(levels), offset: at });
        level.keys.add(name);
        level.at = name;
      }
      at = end;
    }
    if (levels.length > MAX_LEVELS) return null;
    tokens += 1;
    if (tokens % TOKENS_PER_STEP === 0) yield;
  }
  return duplicates;
}

export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Position of the closing quote of the string that opens at `begin`; the text's end if there is
 * none.
 */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes precedes the quote. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text[at] === '\\') at -= 1;
  return (quote - at) % 2 === 0;
}

/** Whether the string is a key: a colon follows, after optional white space. */
function isBeforeColon(text: string, end: number): boolean {
  let at = end + 1;
  while (at < text.length && WHITE_SPACE.includes(text.charAt(at))) at += 1;
  return text[at] === ':';
}

function decodeKey(written: string): string {
  return written.includes('\\') ? JSON.parse(`"${written}"`) : written;
}

/** To the innermost level, without its own position. */
function pathTo(levels: readonly Level[]): readonly (string | number)[] {
  return levels.slice(0, -1).map(({ at }) => at);
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Replaces a number that a double cannot hold: `JSON.parse` reads infinity, never signed. */
const UNREPRESENTABLE = '1e999';

/**
 * Every inexact number has 16 consecutive digits or a three-digit exponent: doubles preserve
 * decimals of up to 15 significant digits in the normal range (IEEE 754, `DBL_DIG`).
 */
const MAY_BE_INEXACT = /[\d.]{16}|[eE][+-]?\d{3}/;

/** A nonzero decimal: significant digits without trailing zeros, times a power of ten. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

/**
 * Replaces every number whose decimal value a double cannot hold, so that `JSON.parse` reads
 * infinity.
 *
 * A double holds a number if the shortest text of that double (JSON.stringify, RFC 8785) has the
 * same decimal value: `219.0` and `0.1`, not `4503599627370496.5` (…496) or `1e-400` (0). Integers
 * beyond ±(2^53-1) are left alone.
 * @param text valid for `JSON.parse`
 * @returns the same text if nothing is replaced
 */
export function* inexactNumberSteps(text: string): Steps<string> {
  if (!MAY_BE_INEXACT.test(text)) return text;
  const pieces: string[] = [];
  let copied = 0;
  let tokens = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isString = code === QUOTE;
    if (!isString && code !== MINUS && !isDigit(code)) continue;
    const end = isString ? endOfString(text, at) : endOfNumber(text, at);
    if (!isString && isInexact(text.slice(at, end))) {
      pieces.push(text.slice(copied, at), UNREPRESENTABLE);
      copied = end;
    }
    at = isString ? end : end - 1;
    tokens += 1;
    if (tokens % TOKENS_PER_STEP === 0) yield;
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function endOfNumber(text: string, begin: number): number {
  let end = begin + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text.charAt(end))) end += 1;
  return end;
}

function isInexact(literal: string): boolean {
  if (!MAY_BE_INEXACT.test(literal)) return false;
  const value = Number(literal);
  // The data is checked for these: overflow, and integers that may be rounded.
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  const sent = parseDecimal(literal);
  const read = parseDecimal(String(value));
  return sent?.digits !== read?.digits || sent?.exponent !== read?.exponent;
}

/** Absolute value of a JSON number; undefined for zero. */
function parseDecimal(literal: string): Decimal | undefined {
  const [mantissa = '', power = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = whole + fraction;
  let begin = 0;
  while (all.charCodeAt(begin) === ZERO) begin += 1;
  if (begin === all.length) return undefined;
  let end = all.length;
  while (all.charCodeAt(end - 1) === ZERO) end -= 1;
  return { digits: all.slice(begin, end), exponent: Number(power) - fraction.length + all.length - end };
}
