import { concatBytes } from '@noble/hashes/utils.js';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Payload, PayloadContent, SignedValue, TypedData, TypedDataField } from '../../model/payload.ts';
import { decodeHex, encodeHex } from '../../model/text/byte-encodings.ts';
import type { PayloadTools } from '../payload-outcome.ts';
import { toSignedInteger } from '../signed/signed-value.ts';
import { checkNesting, encodeStruct, fail, type LeafType, resolveTypes, type TypedDataScheme } from './walker.ts';

/** 2^256 has 78 decimal digits. */
const DECIMAL = /^(?:0|-?[1-9][0-9]{0,77})$/;
const HEX = /^0x[0-9A-Fa-f]{1,64}$/;

/**
 * Parses an integer of typed data: a JSON number within ±(2^53−1), decimal digits without leading
 * zeros, or `0x` and 1 to 64 hex digits. Undefined for anything else.
 *
 * @example typedDataInteger('0x66eee') // 421614n
 */
export function typedDataInteger(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  return DECIMAL.test(value) || HEX.test(value) ? BigInt(value) : undefined;
}

/**
 * UTF-16 code units of all texts and bytes in a message, which are encoded and hashed in one go; a
 * message of a venue has some hundred.
 */
export const MAX_TYPED_TEXT = 65_536;

/** Struct type of a domain. */
export const DOMAIN_TYPE = 'EIP712Domain';

/** Possible members of a domain, in encoding order (EIP-712, "Definition of domainSeparator"). */
export const DOMAIN_FIELDS: readonly TypedDataField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

/** The fields of `EIP712Domain` for a domain with these members. */
export function getDomainFields(domain: JsonObject): readonly TypedDataField[] {
  return DOMAIN_FIELDS.filter(({ name }) => Object.hasOwn(domain, name));
}

/**
 * Whether a member of a domain has the configured value: chainId as a number, contract and salt in
 * either letter case.
 */
export function isSameMember(name: string, pinned: JsonValue, given: JsonValue): boolean {
  const type = DOMAIN_FIELDS.find((field) => field.name === name)?.type;
  if (type === 'uint256') {
    const expected = typedDataInteger(pinned);
    return expected !== undefined && expected === typedDataInteger(given);
  }
  if (type === 'string') return pinned === given;
  return typeof pinned === 'string' && typeof given === 'string' && pinned.toLowerCase() === given.toLowerCase();
}

/** Identifiers, and colons as in `HyperliquidTransaction:UsdSend`. */
const STRUCT_NAME = /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$:]*$/;

/** Also with single spaces, as in Aster's `destination Chain`, which libraries write unchanged. */
const MEMBER_NAME = /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$]*(?: [A-Za-z0-9_$]+)*$/;

/**
 * Also `uint`, `uint7`, `bytes33` and Solidity's other elementary types, which readers could
 * misinterpret.
 */
const RESERVED_NAME = /^(?:address|bool|string|bytes?\d*|u?int\d*|u?fixed(?:\d+x\d+)?|function|EIP712Domain)$/;

/**
 * Whether a struct type may have this name, so that its encoding
 * (`Order(uint256 price,Item[] items)Item(…)`) is unambiguous: identifiers joined by colons, and no
 * name that EIP-712 defines.
 */
export function isStructName(name: string): boolean {
  return STRUCT_NAME.test(name) && !RESERVED_NAME.test(name);
}

/** Whether a struct member may have this name: an identifier, or words with single spaces. */
export function isMemberName(name: string): boolean {
  return MEMBER_NAME.test(name);
}

const SIZES = Array.from({ length: 32 }, (_, index) => index + 1);
const INTEGER_FORMS = 'as a number, or as a string of decimal digits or of 0x and hex digits';
const encoder = new TextEncoder();

/** A type; its valid values as 32 bytes, or bytes to hash to them, and as policies read them. */
function leaf(
  name: string,
  requirement: string,
  encode: (value: JsonValue, tools: PayloadTools) => readonly [Uint8Array | [Uint8Array], SignedValue] | undefined,
): readonly [string, LeafType<Uint8Array>] {
  const encodeViews: LeafType<Uint8Array>['encode'] = (value, tools) => {
    const encoded = encode(value, tools);
    return encoded && { content: encoded[0], views: { value: encoded[1] } };
  };
  return [name, { requirement: `must be ${requirement}`, encode: encodeViews }];
}

function hexLeaf(
  name: string,
  requirement: string,
  form: RegExp,
  toContent: (digits: string) => Uint8Array | [Uint8Array],
  accepts: (digits: string, tools: PayloadTools) => boolean = () => true,
) {
  return leaf(name, `a string of 0x and ${requirement}`, (value, tools) => {
    if (typeof value !== 'string' || !form.test(value) || !accepts(value.slice(2), tools)) return undefined;
    return [toContent(value.slice(2)), value.toLowerCase()];
  });
}

function integerLeaf(name: string, first: bigint, end: bigint, range: string) {
  return leaf(name, `an integer ${range}, ${INTEGER_FORMS}`, (value) => {
    const number = typedDataInteger(value);
    if (number === undefined || number < first || number >= end) return undefined;
    return [toWord(number), toSignedInteger(number)];
  });
}

/** 32 bytes, big-endian, two's complement. */
function toWord(number: bigint): Uint8Array {
  return toBytes(BigInt.asUintN(256, number).toString(16).padStart(64, '0'));
}

/** Bytes of an even number of hex digits. */
function toBytes(digits: string): Uint8Array {
  return decodeHex(digits) ?? new Uint8Array();
}

/**
 * Whether the 40 hex digits of an address are in one letter case, or have the checksum of EIP-55.
 *
 * @param keccak256 as Ethereum uses it
 */
export function isChecksummed(digits: string, keccak256: (content: Uint8Array) => Uint8Array): boolean {
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = encodeHex(keccak256(encoder.encode(lower)));
  return Array.from(lower, (digit, at) => (hash.charAt(at) >= '8' ? digit.toUpperCase() : digit)).join('') === digits;
}

/**
 * Atomic and dynamic types (EIP-712, "Definition of typed structured data"): bytes1 to bytes32,
 * uint8 to uint256, int8 to int256, bool, address, bytes, string. The aliases `uint` and `int` are
 * excluded.
 */
const LEAVES: TypedDataScheme<Uint8Array>['leaves'] = new Map([
  leaf('bool', 'true or false', (value) => (typeof value === 'boolean' ? [toWord(BigInt(value)), value] : undefined)),
  leaf('string', 'a string of well-formed Unicode', (value) =>
    typeof value === 'string' && value.isWellFormed() ? [[encoder.encode(value)], value] : undefined,
  ),
  hexLeaf('bytes', 'two hex digits per byte', /^0x(?:[0-9A-Fa-f]{2})*$/, (digits) => [toBytes(digits)]),
  hexLeaf(
    'address',
    '40 hex digits, in one letter case or with a valid checksum (EIP-55)',
    /^0x[0-9A-Fa-f]{40}$/,
    (digits) => toBytes(digits.padStart(64, '0')),
    (digits, { hasher }) => isChecksummed(digits, (content) => hasher.digest('keccak256', content)),
  ),
  ...SIZES.flatMap((size) => {
    const form = new RegExp(`^0x[0-9A-Fa-f]{${size * 2}}$`);
    const [bits, half] = [size * 8, 2n ** BigInt(size * 8 - 1)];
    return [
      hexLeaf(`bytes${size}`, `${size * 2} hex digits`, form, (digits) => toBytes(digits.padEnd(64, '0'))),
      integerLeaf(`uint${bits}`, 0n, 2n * half, `from 0 to 2^${bits}-1`),
      integerLeaf(`int${bits}`, -half, half, `from -2^${bits - 1} to 2^${bits - 1}-1`),
    ];
  }),
]);

/** Objects, arrays and their members in total. */
const MAX_VALUES = 256;

const FIELD_TYPE = /^([A-Za-z_$][A-Za-z0-9_$:]*)((?:\[(?:[1-9][0-9]{0,8})?\]){0,16})$/;

const SCHEME: TypedDataScheme<Uint8Array> = {
  leaves: LEAVES,
  presets: {},
  views: ['value'],
  maxTypeText: 8192,
  memberName: MEMBER_NAME,
  memberNameRule: 'must be letters, digits, _ and $, no digit first; single spaces may separate words',
  typeRule: 'must be a type of EIP-712 (uint256, not uint) or one of data.types',
  findNameIssue: (name) =>
    isStructName(name)
      ? undefined
      : 'must have an identifier as its name, other than that of a type of EIP-712 or Solidity',
  parseType: ({ type }) => {
    const [, base, arrays] = FIELD_TYPE.exec(type) ?? [];
    if (base === undefined || arrays === undefined)
      return 'must be a type and up to 16 array brackets, such as Order, uint256 or bytes32[2][]';
    const lengths = Array.from(arrays.matchAll(/\[(\d*)\]/g), ([, digits]) => (digits ? Number(digits) : null));
    return { base, lengths };
  },
  describe: (name, fields) => `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`,
  hashText: (text, { hasher }) => hasher.digest('keccak256', encoder.encode(text)),
  hash: (words, { hasher }) => hasher.digest('keccak256', concatBytes(...words)),
  startLimit: () => {
    // The domain or message itself is not one of its values.
    let values = MAX_VALUES + 1;
    let text = MAX_TYPED_TEXT;
    return (value) => {
      values -= 1;
      if (values < 0) return `exceeds the limit of ${MAX_VALUES} values in a message`;
      if (typeof value === 'string') text -= value.length;
      return text < 0 ? `exceeds the limit of ${MAX_TYPED_TEXT} characters in a message` : undefined;
    };
  },
};

/** 0x19 and EIP-712's version byte (EIP-191). */
const PREFIX = Uint8Array.of(0x19, 0x01);

/**
 * `0x19 0x01 ‖ domainSeparator ‖ hashStruct(message)` (EIP-712, "Specification"), the 66 bytes that
 * are signed; the payload's text is their hex without `0x`. Refused is whatever would have to be
 * guessed: undeclared or missing members, values outside their types, types and names on which
 * libraries differ, also of types that the message does not need.
 */
export function encodeTypedData(
  { domain, types, primaryType, message }: TypedData,
  tools: PayloadTools,
  content?: PayloadContent,
): Payload {
  if (!Object.hasOwn(types, primaryType)) fail(['primaryType'], `must be one of data.types, other than ${DOMAIN_TYPE}`);
  const structs = resolveTypes(SCHEME, types, Object.keys(types));
  checkNesting(structs, primaryType);
  const unknown = Object.keys(domain).find((name) => !DOMAIN_FIELDS.some((field) => field.name === name));
  if (unknown !== undefined) {
    const known = DOMAIN_FIELDS.map(({ name }) => name).join(', ');
    fail(['domain', unknown], `is not a member of a domain; the members are ${known}`);
  }
  const domainFields = getDomainFields(domain).map((field) => ({ ...field, base: field.type, lengths: [] }));
  const domainTypes = new Map([[DOMAIN_TYPE, domainFields]]);
  const separator = encodeStruct(SCHEME, domainTypes, tools, 'domain', domain, DOMAIN_TYPE);
  const hash = encodeStruct(SCHEME, structs, tools, 'message', message, primaryType);
  const bytes = concatBytes(PREFIX, separator.word, hash.word);
  const fields = { domain: separator.views['value'] ?? null, primaryType, message: hash.views['value'] ?? null };
  return {
    ...{ bytes, text: encodeHex(bytes), encoding: 'hex', parts: {} },
    content: content ?? { kind: 'typed-data', fields },
  };
}
