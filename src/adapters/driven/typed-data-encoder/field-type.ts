/** A member's type, taken apart: `Order[2][]` is an array of any length of arrays of two Orders. */
export interface FieldType {
  /** `Order`, `uint256` … */
  readonly base: string;
  /** Lengths of its arrays from the innermost to the outermost, null for any length: `[2, null]`. */
  readonly lengths: readonly (number | null)[];
}

const FIELD_TYPE = /^([A-Za-z_$][A-Za-z0-9_$:]*)((?:\[(?:[1-9][0-9]{0,8})?\]){0,16})$/;

/** Takes a type apart; undefined for what is none, and for arrays nested deeper than 16. */
export function parseFieldType(text: string): FieldType | undefined {
  const [, base, arrays] = FIELD_TYPE.exec(text) ?? [];
  if (base === undefined || arrays === undefined) return undefined;
  const lengths = Array.from(arrays.matchAll(/\[(\d*)\]/g), ([, digits]) => (digits ? Number(digits) : null));
  return { base, lengths };
}
