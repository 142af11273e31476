import { withoutLastZeros } from '../payload/signed/signed-value.ts';

/** Significant digits of a budget's `max`: sums of units stay below 2^53. */
export const MAX_BUDGET_DIGITS = 13;

/** Units of an amount beyond every `max`. */
export const MAX_UNITS = 1e15;

/** A JSON number (RFC 8259 §6) with an exponent of at most four digits. */
const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?$/;

/** A decimal as `digits × 10^power`; no digits for zero, and neither first nor last is a zero. */
interface Digits {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly power: number;
}

/** A budget's `max` in whole units of 10^exponent. */
export interface BudgetUnits {
  /** Of 13 digits. */
  readonly maxUnits: number;
  readonly exponent: number;
}

/** Powers of ten of a `max`: changed, its units stay within a floating-point number. */
const MAX_POWER = 30;

/**
 * Whether `max` is above zero, has at most {@link MAX_BUDGET_DIGITS} significant digits, and is
 * at least 10^-30 and below 10^31.
 */
export function isBudgetMax(max: string | number): boolean {
  const parsed = parse(String(max));
  if (parsed === null || parsed.isNegative) return false;
  const { digits, power } = parsed;
  return digits !== '' && digits.length <= MAX_BUDGET_DIGITS && Math.abs(power + digits.length - 1) <= MAX_POWER;
}

/** The unit in which amounts of a budget are counted: the last of 13 digits of its `max`. */
export function toBudgetUnits(max: string | number): BudgetUnits {
  const { digits = '', power = 0 } = parse(String(max)) ?? {};
  return {
    maxUnits: Number(digits.padEnd(MAX_BUDGET_DIGITS, '0')),
    exponent: power + digits.length - MAX_BUDGET_DIGITS,
  };
}

/**
 * An amount in units of 10^exponent, rounded up. Amounts beyond every `max` are {@link MAX_UNITS}.
 * @returns null for a negative amount
 */
export function toUnits(amount: string, exponent: number): number | null {
  const parsed = parse(amount);
  if (parsed === null || (parsed.isNegative && parsed.digits !== '')) return null;
  const { digits, power } = parsed;
  const shift = power - exponent;
  if (digits === '') return 0;
  if (digits.length + shift > 15) return MAX_UNITS;
  if (shift >= 0) return Number(digits + '0'.repeat(shift));
  // The last digit is no zero, so that something is cut off.
  return Number(digits.slice(0, shift)) + 1;
}

/** Units of 10^exponent as a decimal. */
export function formatUnits(units: number, exponent: number): string {
  if (exponent >= 0) return String(BigInt(units) * 10n ** BigInt(exponent));
  const digits = String(units).padStart(1 - exponent, '0');
  const fraction = withoutLastZeros(digits.slice(exponent));
  return `${digits.slice(0, exponent)}${fraction && `.${fraction}`}`;
}

function parse(text: string): Digits | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', written = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = withoutLastZeros(all);
  return { isNegative: sign === '-', digits, power: Number(written) - fraction.length + all.length - digits.length };
}
