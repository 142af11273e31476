import { Big } from 'big.js';
import { memoizeByObject } from '../../domain/model/memoize.ts';
import { Decimal } from '../../domain/model/payload.ts';

/** A JSON number (RFC 8259 §6) with an exponent of at most four digits. */
const DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?$/;

/** Digits of a number to compute with: multiplication takes the square of them. */
const MAX_DIGITS = 100;

/** Characters of a number that takes longer to parse than to find again. */
const LONG = 50;

/** A text or number that has no exact decimal value, or too many digits to compute with. */
export class DecimalError extends Error {
  override readonly name = 'DecimalError';
}

/**
 * Reads a decimal of any length.
 * @throws DecimalError for anything but a JSON number: signs other than `-`, leading zeros, blanks
 */
export function parseDecimal(text: string): Decimal {
  if (!DECIMAL.test(text)) throw new DecimalError('decimal() requires a number such as "0.1" or "-12"');
  return new Decimal(text);
}

/** Below, at and above zero for less, equal and greater; exact at any length. */
export function compareDecimals(left: Decimal | bigint, right: Decimal | bigint): number {
  return toBig(left).cmp(toBig(right));
}

/** An exact sum, difference or product. @throws DecimalError beyond {@link MAX_DIGITS} */
export function computeDecimal(left: Decimal | bigint, operator: '+' | '-' | '*', right: Decimal | bigint): Decimal {
  const [a, b] = [toComputable(left), toComputable(right)];
  if (operator === '+') return toDecimal(a.plus(b));
  return toDecimal(operator === '-' ? a.minus(b) : a.times(b));
}

function toDecimal(value: Big): Decimal {
  return new Decimal(value.toFixed());
}

function toComputable(value: Decimal | bigint): Big {
  const big = toBig(value);
  if (big.c.length > MAX_DIGITS || Math.abs(big.e) > MAX_DIGITS) {
    throw new DecimalError(`A number in a calculation has more than ${MAX_DIGITS} digits`);
  }
  return big;
}

function toBig(value: Decimal | bigint): Big {
  if (typeof value === 'bigint') return new Big(String(value));
  return value.text.length > LONG ? parseOnce(value) : parse(value);
}

function parse({ text }: Decimal): Big {
  return new Big(parseDecimal(text).text);
}

/** A long number may be compared with many. */
const parseOnce = memoizeByObject(parse);
