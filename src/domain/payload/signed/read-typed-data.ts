import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { TypedData, TypedDataTypes } from '../../model/payload.ts';
import type { SignedValue } from '../../model/signed-content.ts';
import { isJsonObject, ownMember } from '../../model/text/json-path.ts';
import { getDomainFields, typedDataInteger } from '../eip712.ts';
import { toSignedInteger } from './signed-value.ts';

const INTEGER = /^u?int[0-9]+$/;
const HEXADECIMAL = /^(?:address|bytes[0-9]*)$/;

/**
 * The fields of valid typed data, each value in one form whatever form it was sent in: integers as
 * numbers, addresses and bytes in lowercase hex with `0x`.
 */
export function readTypedData({ domain, types, primaryType, message }: TypedData): {
  readonly [field: string]: SignedValue;
} {
  const domainFields = getDomainFields(domain);
  return {
    domain: readStruct(domain, domainFields, types),
    primaryType,
    message: readStruct(message, ownFields(types, primaryType), types),
  };
}

function ownFields(types: TypedDataTypes, type: string): TypedDataTypes[string] {
  return Object.hasOwn(types, type) ? (types[type] ?? []) : [];
}

function readStruct(
  struct: JsonObject,
  fields: TypedDataTypes[string],
  types: TypedDataTypes,
): ReadonlyMap<string, SignedValue> {
  return new Map(fields.map(({ name, type }) => [name, readMember(ownMember(struct, name) ?? null, type, types)]));
}

function readMember(value: JsonValue, type: string, types: TypedDataTypes): SignedValue {
  if (type.endsWith(']') && Array.isArray(value)) {
    const element = type.slice(0, type.lastIndexOf('['));
    return value.map((one: JsonValue) => readMember(one, element, types));
  }
  if (isJsonObject(value)) return readStruct(value, ownFields(types, type), types);
  if (INTEGER.test(type)) return toSignedInteger(typedDataInteger(value) ?? 0n);
  if (typeof value === 'string') return HEXADECIMAL.test(type) ? value.toLowerCase() : value;
  return value === true;
}
