import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { TypedData, TypedDataField, TypedDataTypes } from '../../src/domain/model/payload.ts';
import { anyText } from './any-text.ts';

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

const size = fc.integer({ min: 1, max: 32 });

const atomicType = fc.oneof(
  fc.constantFrom('bool', 'address', 'string', 'bytes'),
  size.map((bytes) => `bytes${bytes}`),
  size.map((bytes) => `uint${bytes * 8}`),
  size.map((bytes) => `int${bytes * 8}`),
);

/** Types refer to lower levels only, so there is no cycle; some are unused. */
const LEVELS = ['Order', 'Leg', 'Asset', 'Extra'];

function fieldType(level: number): fc.Arbitrary<string> {
  const below = LEVELS.slice(level + 1);
  const base = below.length === 0 ? atomicType : fc.oneof(atomicType, fc.constantFrom(...below));
  return fc.tuple(base, fc.constantFrom('', '', '[]', '[1]', '[2][]', '[][2]')).map((parts) => parts.join(''));
}

function structFields(level: number): fc.Arbitrary<TypedDataField[]> {
  const name = fc.constantFrom('a', 'b', 'price', 'to', '$', '_x', 'constructor', 'destination Chain');
  return fc.uniqueArray(fc.record({ name, type: fieldType(level) }), { maxLength: 4, selector: (field) => field.name });
}

const types: fc.Arbitrary<TypedDataTypes> = fc
  .tuple(...LEVELS.map((_, level) => structFields(level)))
  .map((structs) => Object.fromEntries(LEVELS.map((name, level) => [name, structs[level] ?? []])));

/** An integer in one of its JSON forms. */
function integer(min: bigint, max: bigint): fc.Arbitrary<JsonValue> {
  return fc.tuple(fc.bigInt({ min, max }), fc.nat(2)).map(([value, form]) => {
    if (form === 0 && BigInt(Number.MIN_SAFE_INTEGER) <= value && value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      return Number(value);
    }
    return form === 1 && value >= 0n ? `0x${value.toString(16)}` : String(value);
  });
}

function atomicValue(type: string): fc.Arbitrary<JsonValue> {
  const [, kind, digits] = /^([a-z]+)(\d*)$/.exec(type) ?? [];
  const width = Number(digits);
  if (kind === 'bool') return fc.boolean();
  if (kind === 'string') return anyText();
  if (kind === 'address') return hex(20);
  if (kind === 'bytes') return digits === '' ? fc.nat(40).chain(hex) : hex(width);
  const [all, half] = [2n ** BigInt(width || 8), 2n ** BigInt((width || 8) - 1)];
  return kind === 'uint' ? integer(0n, all - 1n) : integer(-half, half - 1n);
}

function anyValue(type: string, structs: TypedDataTypes): fc.Arbitrary<JsonValue> {
  const [, element, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (element !== undefined) {
    const bounds = length === '' ? { maxLength: 2 } : { minLength: Number(length), maxLength: Number(length) };
    return fc.array(anyValue(element, structs), bounds);
  }
  const fields = structs[type];
  return fields === undefined ? atomicValue(type) : structValue(fields, structs);
}

function structValue(fields: readonly TypedDataField[], structs: TypedDataTypes): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(...fields.map(({ name, type }) => fc.tuple(fc.constant(name), anyValue(type, structs))))
    .map((members) => Object.fromEntries(members));
}

const domain = fc.record(
  {
    name: anyText(),
    version: fc.string(),
    chainId: integer(0n, 2n ** 64n),
    verifyingContract: hex(20),
    salt: hex(32),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

/** Maximum number of values in a message. */
const MAX_VALUES = 256;

/** Counts members and elements at every level. */
function valuesIn(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + valuesIn(inner), 0);
}

/** Typed data of up to four levels with unused types; some exceed the maximum. */
const ANY_TYPED_DATA: fc.Arbitrary<TypedData> = fc
  .tuple(domain, types, fc.constantFrom('Order', 'Leg'))
  .chain(([given, structs, primaryType]) =>
    structValue(structs[primaryType] ?? [], structs).map((message) => ({
      domain: given,
      types: structs,
      primaryType,
      message,
    })),
  );

/** Within the maximum. */
export const TYPED_DATA = ANY_TYPED_DATA.filter(({ message }) => valuesIn(message) <= MAX_VALUES);
