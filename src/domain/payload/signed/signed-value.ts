import { Decimal, type SignedValue } from '../../model/payload.ts';

/*
 * Limits of what is decoded: with them the time that a policy takes is bounded. Larger requests
 * have no field.
 */

/** Objects, arrays, members and elements in one field. */
export const MAX_SIGNED_VALUES = 4096;

/** UTF-16 code units of one field's text. */
export const MAX_SIGNED_LENGTH = 2 ** 16;

/**
 * Whether a value has more than {@link MAX_SIGNED_VALUES} or texts of more than
 * {@link MAX_SIGNED_LENGTH} in all.
 */
export function isTooLarge(value: SignedValue): boolean {
  if (typeof value === 'string') return value.length > MAX_SIGNED_LENGTH;
  if (!Array.isArray(value) && !(value instanceof Map)) return false;
  const pending: SignedValue[] = [value];
  let values = 0;
  let length = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    values += 1;
    if (typeof next === 'string') length += next.length;
    else if (Array.isArray(next) || next instanceof Map) {
      if (pending.length + values > MAX_SIGNED_VALUES) return true;
      pending.push(...next.values());
    }
    if (values > MAX_SIGNED_VALUES || length > MAX_SIGNED_LENGTH) return true;
  }
  return false;
}

/** Characters of one number: comparing takes time in proportion to them. */
export const MAX_NUMBER_LENGTH = 1000;

/** CEL's int is a signed integer of 64 bits. */
const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

/** No whole number within 64 bits has more digits. */
const MAX_INT_DIGITS = 19;

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/;

/** A JSON number's text as a value: `20`, `20.0` and `2e1` are the same. */
export function toSignedNumber(text: string): bigint | Decimal {
  const [, sign, whole = '', written = '', power = '0'] = NUMBER.exec(text) ?? [];
  const fraction = withoutLastZeros(written);
  const zeros = Number(power) - fraction.length;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '' && sign !== undefined) return 0n;
  if (sign === undefined || zeros < 0 || digits.length + zeros > MAX_INT_DIGITS) return new Decimal(text);
  return toSignedInteger(BigInt(`${sign}${digits}${'0'.repeat(zeros)}`));
}

/** Digits without the zeros at their end; in linear time. */
export function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** An integer of any size as a value. */
export function toSignedInteger(value: bigint): bigint | Decimal {
  return value <= MAX_INT && value >= MIN_INT ? value : new Decimal(String(value));
}

/** Names that policies read, in the spelling of the policies. */
export class Spellings {
  readonly #exact: ReadonlySet<string>;
  readonly #folded: ReadonlySet<string>;

  constructor(names: Iterable<string>) {
    this.#exact = new Set(names);
    this.#folded = new Set(Array.from(this.#exact, fold));
  }

  /** Whether the name is one of these for readers that ignore letter case, but spelt otherwise. */
  isVariant(name: string, folded: string): boolean {
    return this.#folded.has(folded) && !this.#exact.has(name);
  }
}

/** What to decode of a payload. */
export interface WantedContent {
  /** Fields of `signed`. */
  readonly fields: ReadonlySet<string>;
  readonly spellings: Spellings;
}

/**
 * Names of one object, without regard to letter case, width and blanks around them: some servers
 * ignore these, so that the last of `amount` and `Amount` wins, and `Amount` counts as `amount`.
 */
export class UniqueNames {
  readonly #names = new Set<string>();
  readonly #spellings: Spellings;

  constructor(spellings: Spellings) {
    this.#spellings = spellings;
  }

  /** Whether the name is new, no variant of one that policies read, without control characters. */
  add(name: string): boolean {
    const isSimple = SIMPLE.test(name);
    if (!isSimple && INVISIBLE.test(name)) return false;
    const folded = isSimple ? name.toLowerCase() : foldOther(name);
    if (this.#spellings.isVariant(name, folded)) return false;
    const before = this.#names.size;
    return this.#names.add(folded).size > before;
  }
}

/** Of ASCII letters, digits, `_` and `-`. */
const SIMPLE = /^[\w-]*$/;
/** Characters that some servers cut a name at, or leave out. */
const INVISIBLE = /\p{C}/u;

function fold(name: string): string {
  return SIMPLE.test(name) ? name.toLowerCase() : foldOther(name);
}

function foldOther(name: string): string {
  return name.normalize('NFKC').trim().toUpperCase().toLowerCase();
}
