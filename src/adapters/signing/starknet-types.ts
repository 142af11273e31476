import type { JsonValue } from '../../domain/model/json.ts';
import { accepted, type Outcome } from '../../domain/model/outcome.ts';
import type { StarknetTypedData, TypedDataField, TypedDataTypes } from '../../domain/model/payload.ts';
import type { Issue } from '../../domain/model/refusal.ts';
import { jsonPath } from '../../domain/model/text/json-path.ts';
import { typedDataInteger } from '../../domain/payload/eip712.ts';
import { invalid } from '../../domain/payload/payload-outcome.ts';
import { FELT_PRIME, FELT_REQUIREMENT, parseFelt, STARKNET_DOMAIN_TYPES } from '../../domain/payload/starknet.ts';
import { starknetKeccak } from './starknet-hashes.ts';
import type { FieldType, StructField, StructTypes } from './typed-data-structs.ts';

interface BasicType {
  /** Description of valid values, for messages. */
  readonly requirement: string;
  /** The value as a felt, or as felts to hash to one; undefined if it is invalid. */
  readonly encode: (value: JsonValue) => bigint | readonly bigint[] | undefined;
}

const INTEGER_FORMS = 'as a number, or as a string of decimal digits or of 0x and hex digits';
const END_OF_U128 = 2n ** 128n;

const FELT: BasicType = {
  requirement: FELT_REQUIREMENT,
  encode: parseFelt,
};

const BOOL: BasicType = {
  requirement: 'must be true or false',
  encode: (value) => (typeof value === 'boolean' ? BigInt(value) : undefined),
};

const SELECTOR: BasicType = {
  requirement:
    'must be the name of a function, an identifier of at most 128 characters, or its selector, below 2^250, as decimal digits or 0x and hex digits',
  encode: (value) => {
    if (typeof value !== 'string') return undefined;
    return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value) ? starknetKeccak(value) : integer(value, 0n, 2n ** 250n);
  },
};

const LONG_STRING: BasicType = {
  requirement: 'must be a string of at most 1024 ASCII characters',
  encode: (value) => (typeof value === 'string' && /^\p{ASCII}{0,1024}$/u.test(value) ? toByteArray(value) : undefined),
};

const ADDRESS: BasicType = between(0n, FELT_PRIME, 'from 0 to 2^251 + 17*2^192');
const U128: BasicType = between(0n, END_OF_U128, 'from 0 to 2^128-1');
const I128: BasicType = between(-END_OF_U128 / 2n, END_OF_U128 / 2n, 'from -2^127 to 2^127-1');

type BasicTypes = ReadonlyMap<string, BasicType>;

/** Basic types by revision (SNIP-12, "How to work with each type"). */
const BASIC_TYPES: readonly [BasicTypes, BasicTypes] = [
  new Map([
    ['felt', FELT],
    ['string', FELT],
    ['bool', BOOL],
    ['selector', SELECTOR],
  ]),
  new Map([
    ['felt', FELT],
    ['shortstring', FELT],
    ['string', LONG_STRING],
    ['bool', BOOL],
    ['selector', SELECTOR],
    ['u128', U128],
    ['i128', I128],
    ['timestamp', U128],
    ['ContractAddress', ADDRESS],
    ['ClassHash', ADDRESS],
  ]),
];

/** Struct types that revision 1 defines. */
const PRESET_TYPES: TypedDataTypes = {
  u256: [
    { name: 'low', type: 'u128' },
    { name: 'high', type: 'u128' },
  ],
  TokenAmount: [
    { name: 'token_address', type: 'ContractAddress' },
    { name: 'amount', type: 'u256' },
  ],
  NftId: [
    { name: 'collection_address', type: 'ContractAddress' },
    { name: 'token_id', type: 'u256' },
  ],
};

const UNSUPPORTED = ['enum', 'merkletree'];

function between(first: bigint, end: bigint, range: string): BasicType {
  return {
    requirement: `must be an integer ${range}, ${INTEGER_FORMS}`,
    encode: (value) => integer(value, first, end),
  };
}

/** Negative numbers are congruent felts, as in Cairo. */
function integer(value: JsonValue, first: bigint, end: bigint): bigint | undefined {
  const number = typedDataInteger(value);
  if (number === undefined || number < first || number >= end) return undefined;
  return number < 0n ? number + FELT_PRIME : number;
}

const WORD_BYTES = 31;

/** Cairo's ByteArray: the number of whole words of 31 bytes, these, the rest and its length. */
function toByteArray(text: string): readonly bigint[] {
  const bytes = Buffer.from(text, 'latin1');
  const whole = Math.floor(bytes.length / WORD_BYTES);
  const words = Array.from({ length: whole + 1 }, (_, word) =>
    bytes.subarray(word * WORD_BYTES).subarray(0, WORD_BYTES),
  );
  const felts = words.map((word) => BigInt(`0x0${word.toString('hex')}`));
  return [BigInt(whole), ...felts, BigInt(bytes.length % WORD_BYTES)];
}

/** The basic type of that name; undefined for others. */
export function getBasicType(revision: 0 | 1, name: string): BasicType | undefined {
  return BASIC_TYPES[revision].get(name);
}

/** Types by name, those that the revision defines included. */
function allTypes({ revision, types }: StarknetTypedData): TypedDataTypes {
  return revision === 0 ? types : { ...types, ...PRESET_TYPES };
}

/** Names that need no escaping; revision 1 puts them in quotation marks and so allows spaces. */
const NAMES: readonly [RegExp, RegExp] = [
  /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$]{0,127}$/,
  /^(?!__proto__$)[A-Za-z0-9_$](?:[A-Za-z0-9_$ .:-]{0,126}[A-Za-z0-9_$.:-])?$/,
];

const NAME_RULES: readonly [string, string] = [
  'must be an identifier: letters, digits, _ and $',
  'must be letters, digits, spaces inside and any of _ $ . : -',
];

/** A type and up to 4 asterisks, each an array. */
const FIELD_TYPE = /^([^*]*)(\*{0,4})$/;

function parseFieldType(text: string): FieldType {
  const [, base = '', asterisks = ''] = FIELD_TYPE.exec(text) ?? [];
  return { base, lengths: Array.from(asterisks, () => null) };
}

/** Total characters of names and types: each type hashes the texts of those that it refers to. */
const MAX_TYPE_TEXT = 4096;

/** Reads the struct types of the domain and the message. Other types must not be there. */
export function readStarknetTypes(typedData: StarknetTypedData): Outcome<StructTypes, Issue> {
  const { revision, types, primaryType } = typedData;
  const domainType = STARKNET_DOMAIN_TYPES[revision];
  if (!Object.hasOwn(types, domainType)) {
    return invalid('data.types', `must have the type ${domainType} in revision ${revision} of SNIP-12`);
  }
  if (primaryType === domainType || !Object.hasOwn(types, primaryType)) {
    return invalid('data.primaryType', `must be one of data.types, other than ${domainType}`);
  }
  const structs = new Map<string, readonly StructField[]>();
  const queue = [domainType, primaryType];
  const known = allTypes(typedData);
  let length = 0;
  for (const name of queue) {
    if (structs.has(name)) continue;
    const declared = known[name] ?? [];
    length += declared.reduce((sum, field) => sum + field.name.length + field.type.length, name.length);
    if (length > MAX_TYPE_TEXT) {
      return invalid('data.types', `must not exceed ${MAX_TYPE_TEXT} characters of names and types in total`);
    }
    const fields = readFields(typedData, known, name, declared);
    if (!fields.ok) return fields;
    structs.set(name, fields.value);
    queue.push(...fields.value.map(({ type }) => type.base).filter((base) => !BASIC_TYPES[revision].has(base)));
  }
  const unused = Object.keys(types).find((name) => !structs.has(name));
  if (unused === undefined) return accepted(structs);
  return invalid(jsonPath('data', ['types', unused]), 'must be used by the primary type; SNIP-12 excludes other types');
}

function readFields(
  { revision, types }: StarknetTypedData,
  known: TypedDataTypes,
  struct: string,
  declared: readonly TypedDataField[],
): Outcome<readonly StructField[], Issue> {
  const isReserved = BASIC_TYPES[revision].has(struct) || (revision === 1 && Object.hasOwn(PRESET_TYPES, struct));
  if (Object.hasOwn(types, struct) && (isReserved || UNSUPPORTED.includes(struct))) {
    return invalid(jsonPath('data', ['types', struct]), 'must not have the name of a type of SNIP-12');
  }
  if (!NAMES[revision].test(struct)) return invalid(jsonPath('data', ['types', struct]), NAME_RULES[revision]);
  const fields = new Map<string, StructField>();
  for (const [index, { name, type }] of declared.entries()) {
    const at = (part: string) => jsonPath('data', ['types', struct, index, part]);
    if (!NAMES[revision].test(name)) return invalid(at('name'), NAME_RULES[revision]);
    if (fields.has(name)) return invalid(at('name'), 'must be unique within its type');
    const parsed = parseFieldType(type);
    if (UNSUPPORTED.includes(parsed.base))
      return invalid(at('type'), `must not be ${parsed.base}: it is not supported`);
    if (!BASIC_TYPES[revision].has(parsed.base) && !Object.hasOwn(known, parsed.base)) {
      return invalid(
        at('type'),
        `must be a type of revision ${revision} of SNIP-12 or one of data.types, with up to 4 asterisks for arrays`,
      );
    }
    fields.set(name, { name, type: parsed });
  }
  return accepted([...fields.values()]);
}

/**
 * The text whose hash is the type's (SNIP-12, "encode_type"): the type, then those that it refers
 * to, sorted by name.
 */
export function encodeStarknetType(revision: 0 | 1, structs: StructTypes, name: string): string {
  const quote = revision === 0 ? (text: string) => text : (text: string) => `"${text}"`;
  const found = new Set([name]);
  for (const struct of found) {
    for (const { type } of structs.get(struct) ?? []) if (structs.has(type.base)) found.add(type.base);
  }
  const [, ...others] = found;
  return [name, ...others.sort()]
    .map((struct) => {
      const fields = (structs.get(struct) ?? []).map(
        (field) => `${quote(field.name)}:${quote(`${field.type.base}${'*'.repeat(field.type.lengths.length)}`)}`,
      );
      return `${quote(struct)}(${fields.join(',')})`;
    })
    .join('');
}
