import type { JsonValue } from '../model/json.ts';

/** 2^256 has 78 decimal digits. */
const DECIMAL = /^(?:0|-?[1-9][0-9]{0,77})$/;
const HEX = /^0x[0-9A-Fa-f]{1,64}$/;

/**
 * An integer in the forms in which typed data has it: a JSON number within ±(2^53−1), decimal digits without leading zeros, or `0x` and up to 64
 * hex digits. Undefined for anything else.
 *
 * @example typedDataInteger('0x66eee') // 421614n
 */
export function typedDataInteger(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  return DECIMAL.test(value) || HEX.test(value) ? BigInt(value) : undefined;
}
