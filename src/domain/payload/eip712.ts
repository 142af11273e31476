import type { JsonObject, JsonValue } from '../model/json.ts';
import { accepted, type Outcome } from '../model/outcome.ts';
import type { Payload, PayloadContent, TypedData, TypedDataField } from '../model/payload.ts';
import type { TypedDataWrapper } from '../model/payload-rule.ts';
import type { Issue } from '../model/refusal.ts';
import { encodeHex } from '../model/text/byte-encodings.ts';
import { isJsonObject, jsonPath, ownMember } from '../model/text/json-path.ts';
import { bytesPayload, invalid, type PayloadContext } from './payload-outcome.ts';

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
 * The first member of `data.domain` that differs from the configured one. Members that are not
 * configured are free.
 */
export function findDomainMismatch(domain: JsonObject, pinned: JsonObject): Issue | undefined {
  const mismatch = Object.entries(pinned).find(([name, value]) => !isSameMember(name, value, ownMember(domain, name)));
  if (mismatch === undefined) return undefined;
  const [name] = mismatch;
  return {
    path: jsonPath('data', ['domain', name]),
    message: "must match the domain in the platform's configuration",
  };
}

function isSameMember(name: string, pinned: JsonValue, actual: JsonValue | undefined): boolean {
  if (actual === undefined) return false;
  const type = DOMAIN_FIELDS.find((field) => field.name === name)?.type;
  if (type === 'uint256') {
    const expected = typedDataInteger(pinned);
    return expected !== undefined && expected === typedDataInteger(actual);
  }
  if (type === 'string') return pinned === actual;
  return typeof pinned === 'string' && typeof actual === 'string' && pinned.toLowerCase() === actual.toLowerCase();
}

/** Identifiers, and colons as in `HyperliquidTransaction:UsdSend`. */
const STRUCT_NAME = /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$:]*$/;

const MEMBER_NAME = /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$]*$/;

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

/** Whether a struct member may have this name: an identifier. */
export function isMemberName(name: string): boolean {
  return MEMBER_NAME.test(name);
}

/**
 * Reads the fields of a struct type, a list of `{name, type}`. The encoder validates both.
 *
 * @param type name of the struct, for the path
 * @param remark ends the message about a field of another form
 */
export function readTypeFields(type: string, given: JsonValue, remark = ''): Outcome<readonly TypedDataField[], Issue> {
  if (!Array.isArray(given)) return invalid(jsonPath('data', ['types', type]), 'must be an array of fields');
  const fields: TypedDataField[] = [];
  for (const [index, field] of given.entries()) {
    const steps = ['types', type, index];
    const { name, type: fieldType, ...others } = isJsonObject(field) ? field : {};
    const [other] = Object.keys(others);
    if (other !== undefined) {
      return invalid(
        jsonPath('data', [...steps, other]),
        `must be absent: a field has only the members name and type${remark}`,
      );
    }
    if (typeof name !== 'string' || typeof fieldType !== 'string') {
      return invalid(jsonPath('data', steps), `must be an object with exactly two strings, name and type${remark}`);
    }
    fields.push({ name, type: fieldType });
  }
  return accepted(fields);
}

/** The 66 bytes that EIP-712 signs; the payload's text is their hex without `0x`. */
export function encodeTypedData(
  typedData: TypedData,
  context: PayloadContext,
  content: PayloadContent = { kind: 'typed-data', typedData },
): Outcome<Payload, Issue> {
  const encoded = context.typedData.encode(typedData);
  if (!encoded.ok) return encoded;
  return bytesPayload({ bytes: encoded.value, text: encodeHex(encoded.value), encoding: 'hex', content });
}

/**
 * Wraps a text as the one string member of an EIP-712 message.
 *
 * @throws Error for an invalid wrap, which a validated configuration rules out
 */
export function wrapAsTypedData(
  text: string,
  wrap: TypedDataWrapper,
  context: PayloadContext,
): Outcome<Payload, Issue> {
  if (text.length > MAX_TYPED_TEXT) {
    return invalid('data', `must not result in a text of more than ${MAX_TYPED_TEXT} characters`);
  }
  const { domain, primaryType, member } = wrap;
  const types = { [primaryType]: [{ name: member, type: 'string' }] };
  const outcome = encodeTypedData({ domain, types, primaryType, message: { [member]: text } }, context);
  if (outcome.ok) return outcome;
  const { path, message } = outcome.refusal;
  throw new Error(`Cannot encode the typedData of the rule: ${path} ${message}.`);
}
