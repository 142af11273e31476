import { TypedDataEncoder as EthersEncoder } from 'ethers/hash';
import { concat, getBytes } from 'ethers/utils';
import type { JsonObject, JsonValue } from '../../domain/model/json.ts';
import { accepted, type Outcome, refused } from '../../domain/model/outcome.ts';
import type { TypedData, TypedDataField } from '../../domain/model/payload.ts';
import type { Issue } from '../../domain/model/refusal.ts';
import { isJsonObject, type JsonStep, jsonPath, ownMember } from '../../domain/model/text/json-path.ts';
import { DOMAIN_FIELDS, getDomainFields, MAX_TYPED_TEXT } from '../../domain/payload/eip712.ts';
import type { TypedDataEncoder } from '../../ports/typed-data-encoder.ts';
import {
  ATOMIC_TYPES,
  type FieldType,
  findNestingIssue,
  readStructTypes,
  type StructField,
  type StructTypes,
} from './typed-data-structs.ts';

/** Objects, arrays and their members in total: each costs a hash and blocks the event loop. */
const MAX_VALUES = 256;

interface NestedIssue {
  readonly message: string;
  /** From the inspected value down to the invalid one. */
  readonly steps: readonly JsonStep[];
}

interface Search {
  readonly structs: StructTypes;
  remaining: number;
  remainingText: number;
}

/**
 * Finds the first value that does not match its type, or exceeds the limit. Parents before
 * children, in the type's order.
 * @param root name of `value` in the issue's path
 */
function findValueIssue(
  root: string,
  value: JsonObject,
  fields: readonly StructField[],
  structs: StructTypes,
): Issue | undefined {
  const issue = findInStruct(value, fields, {
    ...{ structs, remaining: MAX_VALUES, remainingText: MAX_TYPED_TEXT },
  });
  return issue && { path: jsonPath(root, issue.steps), message: issue.message };
}

function findInStruct(value: JsonValue, fields: readonly StructField[], search: Search): NestedIssue | undefined {
  if (!isJsonObject(value)) return issueHere('must be an object');
  const named = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(value).find((name) => !named.has(name));
  if (unknown !== undefined) return nestIssue(unknown, issueHere('is not a member of its type'));
  for (const { name, type } of fields) {
    const member = ownMember(value, name);
    if (member === undefined) return nestIssue(name, issueHere('is missing; its type requires it'));
    const issue = findInMember(member, type, search);
    if (issue !== undefined) return nestIssue(name, issue);
  }
  return undefined;
}

function findInMember(value: JsonValue, { base, lengths }: FieldType, search: Search): NestedIssue | undefined {
  search.remaining -= 1;
  if (search.remaining < 0) return issueHere(`exceeds the limit of ${MAX_VALUES} values in a message`);
  if (lengths.length > 0) return findInArray(value, { base, lengths }, search);
  const atomic = ATOMIC_TYPES.get(base);
  if (atomic === undefined) return findInStruct(value, search.structs.get(base) ?? [], search);
  if (!atomic.accepts(value)) return issueHere(atomic.requirement);
  if (typeof value === 'string') search.remainingText -= value.length;
  if (search.remainingText >= 0) return undefined;
  return issueHere(`exceeds the limit of ${MAX_TYPED_TEXT} characters in a message`);
}

function findInArray(value: JsonValue, { base, lengths }: FieldType, search: Search): NestedIssue | undefined {
  const length = lengths.at(-1) ?? null;
  if (!Array.isArray(value)) return issueHere('must be an array');
  if (length !== null && value.length !== length) return issueHere(`must be an array of ${length} elements`);
  const elementType = { base, lengths: lengths.slice(0, -1) };
  for (const [index, element] of value.entries()) {
    const issue = findInMember(element, elementType, search);
    if (issue !== undefined) return nestIssue(index, issue);
  }
  return undefined;
}

function issueHere(message: string): NestedIssue {
  return { message, steps: [] };
}

function nestIssue(step: JsonStep, { message, steps }: NestedIssue): NestedIssue {
  return { message, steps: [step, ...steps] };
}

const NO_STRUCTS: StructTypes = new Map();

/** 0x19 and EIP-712's version byte (EIP-191). */
const PREFIX = '0x1901';

/**
 * EIP-712 by ethers behind stricter checks: ethers ignores unknown members, coerces values, accepts
 * other address forms, rejects unused types and recurses without bound. Only the primary type and
 * its dependencies are encoded.
 */
export class EthersTypedDataEncoder implements TypedDataEncoder {
  encode({ domain, types, primaryType, message }: TypedData): Outcome<Uint8Array, Issue> {
    const read = readStructTypes(types, primaryType);
    if (!read.ok) return read;
    const structs = read.value;
    const issue =
      findNestingIssue(structs, primaryType) ??
      findDomainIssue(domain) ??
      findValueIssue('data.message', message, structs.get(primaryType) ?? [], structs);
    if (issue !== undefined) return refused(issue);
    const needed = Array.from(structs.keys(), (name): [string, TypedDataField[]] => [name, [...(types[name] ?? [])]]);
    return encodeByEthers(domain, Object.fromEntries(needed), message);
  }
}

function findDomainIssue(domain: JsonObject): Issue | undefined {
  const unknown = Object.keys(domain).find((name) => !DOMAIN_FIELDS.some((field) => field.name === name));
  if (unknown !== undefined) {
    const known = DOMAIN_FIELDS.map(({ name }) => name).join(', ');
    return {
      path: jsonPath('data', ['domain', unknown]),
      message: `is not a member of a domain; the members are ${known}`,
    };
  }
  const fields = getDomainFields(domain).map(({ name, type }) => ({ name, type: { base: type, lengths: [] } }));
  return findValueIssue('data.domain', domain, fields, NO_STRUCTS);
}

/** `types` has one root, the primary type, so ethers infers it. */
function encodeByEthers(
  domain: JsonObject,
  types: Record<string, TypedDataField[]>,
  message: JsonObject,
): Outcome<Uint8Array, Issue> {
  try {
    const parts = [PREFIX, EthersEncoder.hashDomain(domain), EthersEncoder.from(types).hash(message)];
    return accepted(getBytes(concat(parts)));
  } catch {
    // Unreachable as far as known; ethers' message may quote the caller's values.
    return refused({ path: 'data', message: 'must be typed data that EIP-712 can encode' });
  }
}
