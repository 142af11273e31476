import type { Issue } from '../../../domain/model/issue.ts';
import { accepted, type Outcome } from '../../../domain/model/outcome.ts';
import type { TypedDataField, TypedDataTypes } from '../../../domain/model/typed-data.ts';
import { jsonPath } from '../../../domain/payload/json-path.ts';
import { invalid } from '../../../domain/payload/payload-outcome.ts';
import { DOMAIN_TYPE } from '../../../domain/payload/typed-data-domain.ts';
import { isMemberName, isStructName } from '../../../domain/payload/typed-data-names.ts';
import { ATOMIC_TYPES } from './atomic-types.ts';
import { type FieldType, parseFieldType } from './field-type.ts';

/** A member of a struct, its type taken apart. */
export interface StructField {
  readonly name: string;
  readonly type: FieldType;
}

/** Members of struct types, by the types' names. */
export type StructTypes = ReadonlyMap<string, readonly StructField[]>;

/** Characters of all names and types together: each struct is hashed with the texts of all that it holds. */
const MAX_TYPE_TEXT = 8192;

/** Reads the struct types that `primaryType` leads to. Others in `types` are no part of what is signed, and nothing is said of them. */
export function readStructTypes(types: TypedDataTypes, primaryType: string): Outcome<StructTypes, Issue> {
  if (primaryType === DOMAIN_TYPE || !Object.hasOwn(types, primaryType)) {
    return invalid('data.primaryType', `must name one of data.types, other than ${DOMAIN_TYPE}`);
  }
  const structs = new Map<string, readonly StructField[]>();
  const waiting = [primaryType];
  let length = 0;
  for (const name of waiting) {
    if (structs.has(name)) continue;
    const given = types[name] ?? [];
    length += given.reduce((sum, field) => sum + field.name.length + field.type.length, name.length);
    if (length > MAX_TYPE_TEXT) {
      return invalid('data.types', `must have at most ${MAX_TYPE_TEXT} characters of names and types`);
    }
    const fields = readFields(types, name, given);
    if (!fields.ok) return fields;
    structs.set(name, fields.value);
    waiting.push(...fields.value.map(({ type }) => type.base).filter((base) => !ATOMIC_TYPES.has(base)));
  }
  return accepted(structs);
}

function readFields(
  types: TypedDataTypes,
  struct: string,
  given: readonly TypedDataField[],
): Outcome<readonly StructField[], Issue> {
  if (!isStructName(struct)) {
    return invalid(
      jsonPath('data', ['types', struct]),
      "must be named by an identifier that is no type of EIP-712's own",
    );
  }
  const fields = new Map<string, StructField>();
  for (const [index, { name, type }] of given.entries()) {
    const at = (part: string) => jsonPath('data', ['types', struct, index, part]);
    if (!isMemberName(name)) return invalid(at('name'), 'must be an identifier: letters, digits, _ and $');
    if (fields.has(name)) return invalid(at('name'), 'must not stand twice in one type');
    const parsed = parseFieldType(type);
    if (parsed === undefined) {
      return invalid(at('type'), 'must be a type and up to 16 array brackets, such as Order, uint256 or bytes32[2][]');
    }
    if (!ATOMIC_TYPES.has(parsed.base) && !Object.hasOwn(types, parsed.base)) {
      return invalid(at('type'), "must be a type of EIP-712's own (uint256, not uint) or one of data.types");
    }
    fields.set(name, { name, type: parsed });
  }
  return accepted([...fields.values()]);
}
