import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { StarknetTypedData, TypedDataTypes } from '../../model/payload.ts';
import type { SignedValue } from '../../model/signed-content.ts';
import { isJsonObject, ownMember } from '../../model/text/json-path.ts';
import { typedDataInteger } from '../eip712.ts';
import { getStarknetDomainFields, parseFelt, toShortString } from '../starknet.ts';
import { toSignedInteger } from './signed-value.ts';

/** How a value is shown; undefined: not at all. */
type Show = (value: JsonValue, type: string) => SignedValue | undefined;

/** Text that no number is meant by: at least two characters, a letter first. */
const WORD = /^[A-Za-z]./;

/**
 * The fields of valid SNIP-12 data. A felt may be sent as text or as a number, so each is shown by
 * its value alone, never by its spelling: `message` has its number, `texts` its short string, where
 * it is one. Addresses are lowercase hex without leading zeros; selectors are not shown.
 */
export function readStarknetData(typedData: StarknetTypedData): { readonly [field: string]: SignedValue } {
  const { domain, types, primaryType, message, revision } = typedData;
  const fields = ownFields(types, primaryType);
  const numbers: Show = (value, type) => showNumber(value, type, revision);
  return {
    domain: readStruct(domain, getStarknetDomainFields(typedData), types, showWord),
    primaryType,
    message: readStruct(message, fields, types, numbers),
    texts: readStruct(message, fields, types, (value, type) => showText(value, type, revision)),
  };
}

function ownFields(types: TypedDataTypes, type: string): TypedDataTypes[string] {
  return Object.hasOwn(types, type) ? (types[type] ?? []) : [];
}

function readStruct(
  struct: JsonObject,
  fields: TypedDataTypes[string],
  types: TypedDataTypes,
  show: Show,
): ReadonlyMap<string, SignedValue> {
  const members = new Map<string, SignedValue>();
  for (const { name, type } of fields) {
    const value = readMember(ownMember(struct, name) ?? null, type, types, show);
    if (value !== undefined) members.set(name, value);
  }
  return members;
}

function readMember(value: JsonValue, type: string, types: TypedDataTypes, show: Show): SignedValue | undefined {
  if (Array.isArray(value)) {
    const element = type.slice(0, -1);
    const values = value.map((one: JsonValue) => readMember(one, element, types, show));
    // Without gaps, which would change positions.
    return values.includes(undefined) ? undefined : values.filter((one) => one !== undefined);
  }
  if (!isJsonObject(value)) return show(value, type);
  const own = ownFields(types, type);
  const fields = own.length > 0 ? own : Object.keys(value).map((name) => ({ name, type: presetMember(name) }));
  return readStruct(value, fields, types, show);
}

/** Member types of the presets u256, TokenAmount and NftId (SNIP-12). */
function presetMember(name: string): string {
  if (name === 'low' || name === 'high') return 'u128';
  return name === 'amount' || name === 'token_id' ? 'u256' : 'ContractAddress';
}

const FELT_TYPES = ['felt', 'shortstring'];
const HEXADECIMAL_TYPES = ['ContractAddress', 'ClassHash'];
const INTEGER_TYPES = ['u128', 'i128', 'timestamp'];

function isFelt(type: string, revision: 0 | 1): boolean {
  return FELT_TYPES.includes(type) || (revision === 0 && type === 'string');
}

function showNumber(value: JsonValue, type: string, revision: 0 | 1): SignedValue | undefined {
  if (type === 'bool') return value === true;
  if (isFelt(type, revision)) return toSignedInteger(parseFelt(value) ?? 0n);
  if (type === 'string') return String(value);
  if (INTEGER_TYPES.includes(type)) return toSignedInteger(typedDataInteger(value) ?? 0n);
  return HEXADECIMAL_TYPES.includes(type) ? `0x${(typedDataInteger(value) ?? 0n).toString(16)}` : undefined;
}

function showText(value: JsonValue, type: string, revision: 0 | 1): SignedValue | undefined {
  if (type === 'string' && revision === 1) return String(value);
  return isFelt(type, revision) ? toShortString(parseFelt(value) ?? 0n) : undefined;
}

/** A domain has words and small numbers: the number of a word is never meant. */
function showWord(value: JsonValue): SignedValue {
  const felt = parseFelt(value) ?? 0n;
  const text = toShortString(felt);
  return text !== undefined && WORD.test(text) ? text : toSignedInteger(felt);
}
