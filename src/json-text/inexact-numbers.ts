import type { Steps } from './duplicate-members.ts';
import { endOfString } from './string-ends.ts';

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Written in place of a number that a double does not hold: `JSON.parse` reads it as infinity,
 * which no payload rule signs.
 */
const UNREPRESENTABLE = '1e999';

/**
 * What a text has wherever it has an inexact number: 16 digits in a row, or an exponent of three.
 * Every decimal of at most 15 significant digits in the range of normal doubles survives the way to
 * a double and back (IEEE 754: `DBL_DIG` is 15).
 */
const MAY_BE_INEXACT = /[\d.]{16}|[eE][+-]?\d{3}/;

/** Numbers, and strings, after which a step ends. */
const TOKENS_IN_A_STEP = 2000;

/**
 * A decimal value other than zero: the integer of its significant digits, which end in no zero,
 * times a power of ten.
 */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

/**
 * Whether a number stands in the text whose decimal value is lost when it is read, as
 * {@link inexactNumberSteps} says. For short texts: done at once.
 */
export function holdsInexactNumber(text: string): boolean {
  if (!MAY_BE_INEXACT.test(text)) return false;
  const steps = inexactNumberSteps(text);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value !== text;
}

/**
 * The text with every number replaced that no double holds, so that `JSON.parse` reads it as
 * infinity; the same text where there is none.
 *
 * A double holds a number where the shortest text that reads as this double, as JSON.stringify and
 * RFC 8785 write it, has the same decimal value: `219.0` and `0.1`, not `4503599627370496.5` (…496)
 * or `1e-400` (0). Integers beyond ±(2^53-1) stay as they are.
 *
 * @param text one that `JSON.parse` takes
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
    if (tokens % TOKENS_IN_A_STEP === 0) yield;
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
  // The data is searched for these: an overflow, and an integer that may have been rounded.
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  const sent = decimalOf(literal);
  const read = decimalOf(String(value));
  return sent?.digits !== read?.digits || sent?.exponent !== read?.exponent;
}

/** The value of a JSON number without its sign; undefined for zero. */
function decimalOf(literal: string): Decimal | undefined {
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
