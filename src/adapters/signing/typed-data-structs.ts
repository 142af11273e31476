import { isAddress } from 'ethers/address';
import type { JsonValue } from '../../domain/model/json.ts';
import { accepted, type Outcome } from '../../domain/model/outcome.ts';
import type { TypedDataField, TypedDataTypes } from '../../domain/model/payload.ts';
import type { Issue } from '../../domain/model/refusal.ts';
import { jsonPath } from '../../domain/model/text/json-path.ts';
import { DOMAIN_TYPE, isMemberName, isStructName, typedDataInteger } from '../../domain/payload/eip712.ts';
import { invalid } from '../../domain/payload/payload-outcome.ts';

interface AtomicType {
  /** Description of valid values, for messages. */
  readonly requirement: string;
  readonly accepts: (value: JsonValue) => boolean;
}

const BYTES = /^0x(?:[0-9A-Fa-f]{2})*$/;
const ADDRESS = /^0x[0-9A-Fa-f]{40}$/;

const INTEGER_FORMS = 'as a number, or as a string of decimal digits or of 0x and hex digits';

const SIZES = Array.from({ length: 32 }, (_, index) => index + 1);

/**
 * Atomic and dynamic types by name (EIP-712, "Definition of typed structured data"): bytes1 to
 * bytes32, uint8 to uint256, int8 to int256, bool, address, bytes, string. The aliases `uint` and
 * `int` are excluded.
 */
export const ATOMIC_TYPES: ReadonlyMap<string, AtomicType> = new Map([
  atomic('bool', 'true or false', (value) => typeof value === 'boolean'),
  atomic('string', 'a string of well-formed Unicode', (value) => typeof value === 'string' && value.isWellFormed()),
  atomic('bytes', 'a string of 0x and two hex digits per byte', (value) => matches(value, BYTES)),
  atomic(
    'address',
    'a string of 0x and 40 hex digits, in one letter case or with a valid checksum (EIP-55)',
    (value) => matches(value, ADDRESS) && isAddress(value),
  ),
  ...SIZES.map(fixedBytes),
  ...SIZES.map((size) => integer(`uint${size * 8}`, 0n, 2n ** BigInt(size * 8), `from 0 to 2^${size * 8}-1`)),
  ...SIZES.map((size) => {
    const half = 2n ** BigInt(size * 8 - 1);
    return integer(`int${size * 8}`, -half, half, `from -2^${size * 8 - 1} to 2^${size * 8 - 1}-1`);
  }),
]);

function fixedBytes(size: number): readonly [string, AtomicType] {
  const form = new RegExp(`^0x[0-9A-Fa-f]{${size * 2}}$`);
  return atomic(`bytes${size}`, `a string of 0x and ${size * 2} hex digits`, (value) => matches(value, form));
}

function integer(name: string, first: bigint, end: bigint, range: string): readonly [string, AtomicType] {
  return atomic(name, `an integer ${range}, ${INTEGER_FORMS}`, (value) => {
    const number = typedDataInteger(value);
    return number !== undefined && number >= first && number < end;
  });
}

function atomic(name: string, requirement: string, accepts: AtomicType['accepts']): readonly [string, AtomicType] {
  return [name, { requirement: `must be ${requirement}`, accepts }];
}

function matches(value: JsonValue, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

/** A parsed type: `Order[2][]` is a dynamic array of arrays of two Orders. */
export interface FieldType {
  readonly base: string;
  /** Array lengths from innermost to outermost, null for dynamic: `[2, null]`. */
  readonly lengths: readonly (number | null)[];
}

const FIELD_TYPE = /^([A-Za-z_$][A-Za-z0-9_$:]*)((?:\[(?:[1-9][0-9]{0,8})?\]){0,16})$/;

/** Parses a type; undefined if invalid or nested deeper than 16 arrays. */
function parseFieldType(text: string): FieldType | undefined {
  const [, base, arrays] = FIELD_TYPE.exec(text) ?? [];
  if (base === undefined || arrays === undefined) return undefined;
  const lengths = Array.from(arrays.matchAll(/\[(\d*)\]/g), ([, digits]) => (digits ? Number(digits) : null));
  return { base, lengths };
}

export interface StructField {
  readonly name: string;
  readonly type: FieldType;
}

export type StructTypes = ReadonlyMap<string, readonly StructField[]>;

/** Total characters of names and types: each struct hashes the texts of its dependencies. */
const MAX_TYPE_TEXT = 8192;

/**
 * Reads all struct types and returns those that `primaryType` needs. The others are not signed, but
 * libraries differ on names that they could confuse: one reads a `bytes32` of the types, another
 * the atomic type.
 */
export function readStructTypes(types: TypedDataTypes, primaryType: string): Outcome<StructTypes, Issue> {
  if (primaryType === DOMAIN_TYPE || !Object.hasOwn(types, primaryType)) {
    return invalid('data.primaryType', `must be one of data.types, other than ${DOMAIN_TYPE}`);
  }
  const structs = new Map<string, readonly StructField[]>();
  let length = 0;
  for (const [name, declared] of Object.entries(types)) {
    length += declared.reduce((sum, field) => sum + field.name.length + field.type.length, name.length);
    if (length > MAX_TYPE_TEXT) {
      return invalid('data.types', `must not exceed ${MAX_TYPE_TEXT} characters of names and types in total`);
    }
    const fields = readFields(types, name, declared);
    if (!fields.ok) return fields;
    structs.set(name, fields.value);
  }
  return accepted(selectNeeded(structs, primaryType));
}

function selectNeeded(structs: StructTypes, primaryType: string): StructTypes {
  const needed = new Map<string, readonly StructField[]>();
  const queue = [primaryType];
  for (const name of queue) {
    const fields = structs.get(name);
    if (fields === undefined || needed.has(name)) continue;
    needed.set(name, fields);
    queue.push(...fields.map(({ type }) => type.base));
  }
  return needed;
}

function readFields(
  types: TypedDataTypes,
  struct: string,
  declared: readonly TypedDataField[],
): Outcome<readonly StructField[], Issue> {
  if (!isStructName(struct)) {
    return invalid(
      jsonPath('data', ['types', struct]),
      'must have an identifier as its name, other than that of a type of EIP-712 or Solidity',
    );
  }
  const fields = new Map<string, StructField>();
  for (const [index, { name, type }] of declared.entries()) {
    const at = (part: string) => jsonPath('data', ['types', struct, index, part]);
    if (!isMemberName(name)) return invalid(at('name'), 'must be an identifier: letters, digits, _ and $');
    if (fields.has(name)) return invalid(at('name'), 'must be unique within its type');
    const parsed = parseFieldType(type);
    if (parsed === undefined) {
      return invalid(at('type'), 'must be a type and up to 16 array brackets, such as Order, uint256 or bytes32[2][]');
    }
    if (!ATOMIC_TYPES.has(parsed.base) && !Object.hasOwn(types, parsed.base)) {
      return invalid(at('type'), 'must be a type of EIP-712 (uint256, not uint) or one of data.types');
    }
    fields.set(name, { name, type: parsed });
  }
  return accepted([...fields.values()]);
}

/**
 * Limit of structs when types are expanded at each use, as encoders do: a few dozen interwoven
 * types would never terminate.
 */
const MAX_STRUCTS = 64;

/** Struct types of members, with the first such member's index. */
type Children = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Finds a circular type or too many nested ones. */
export function findNestingIssue(structs: StructTypes, primaryType: string): Issue | undefined {
  const children = collectChildren(structs);
  const walk = { remaining: MAX_STRUCTS };
  return findBelow(children, [primaryType], walk);
}

function findBelow(children: Children, ancestors: readonly string[], walk: { remaining: number }): Issue | undefined {
  walk.remaining -= 1;
  if (walk.remaining < 0) {
    return {
      path: 'data.types',
      message: `must not nest more than ${MAX_STRUCTS} structs, counting a type each time it is used`,
    };
  }
  const name = ancestors[ancestors.length - 1] ?? '';
  for (const [child, index] of children.get(name) ?? []) {
    if (ancestors.includes(child)) {
      return {
        path: jsonPath('data', ['types', name, index, 'type']),
        message: 'must not refer back to an enclosing type: circular types cannot be encoded',
      };
    }
    const issue = findBelow(children, [...ancestors, child], walk);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function collectChildren(structs: StructTypes): Children {
  return new Map(
    Array.from(structs, ([name, fields]) => {
      const found = fields.flatMap(({ type }, index) => (structs.has(type.base) ? [[type.base, index] as const] : []));
      // The last duplicate wins in a Map; issues name the first member.
      return [name, new Map(found.reverse())] as const;
    }),
  );
}
