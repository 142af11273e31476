/**
 * A decimal as written, exact: policies compare it without rounding. The text is a JSON number (RFC
 * 8259 §6) of any length.
 */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A value that policies read. Whole numbers within 64 bits are BigInt, all other numbers Decimal;
 * no value is a floating-point number.
 */
export type SignedValue =
  | null
  | boolean
  | string
  | bigint
  | Decimal
  | readonly SignedValue[]
  | ReadonlyMap<string, SignedValue>;

/** Type of a signed field, in CEL's notation; `dyn` is any value of {@link SignedValue}. */
export type SignedType = 'string' | 'int' | 'dyn' | 'map<string, dyn>' | 'map<string, string>' | 'list<dyn>';

/** The fields that a rule's signature covers, by name. */
export type SignedFields = { readonly [field: string]: SignedType };

/** The signed fields of one request; what cannot be decoded is absent. */
export type SignedContent = { readonly [field: string]: SignedValue };
