import type { JsonValue } from '../../../domain/model/json.ts';
import { Decimal, type SignedValue } from '../../../domain/model/payload.ts';
import { escapeUnsafe } from '../../../domain/model/text/unsafe-characters.ts';

/** A signed value as a condition writes it: `{"sz": decimal("0.5"), "nonce": 17}`. */
export function formatSigned(value: SignedValue): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Decimal) return `decimal(${quote(value.text)})`;
  if (Array.isArray(value)) return `[${value.map(formatSigned).join(', ')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, member]) => `${quote(name)}: ${formatSigned(member)}`).join(', ')}}`;
  }
  return quote(value as null | boolean | string);
}

/**
 * A signed value as JSON: maps as objects, numbers as the strings `int(17)` and `decimal(0.5)`,
 * which keep every digit and differ from the texts "17" and "0.5".
 */
export function toSignedJson(value: SignedValue): JsonValue {
  if (typeof value === 'bigint') return `int(${value})`;
  if (value instanceof Decimal) return `decimal(${value.text})`;
  if (Array.isArray(value)) return value.map(toSignedJson);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([name, member]) => [name, toSignedJson(member)]));
  }
  return value as null | boolean | string;
}

/** A JSON scalar without characters that a terminal interprets. */
export function quote(value: null | boolean | string): string {
  return escapeUnsafe(JSON.stringify(value));
}
