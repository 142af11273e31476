import { TypedDataEncoder as EthersEncoder } from 'ethers/hash';
import { concat, getBytes } from 'ethers/utils';
import type { Issue } from '../../../domain/model/issue.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import { accepted, type Outcome, refused } from '../../../domain/model/outcome.ts';
import type { TypedData, TypedDataField } from '../../../domain/model/typed-data.ts';
import { jsonPath } from '../../../domain/payload/json-path.ts';
import { DOMAIN_FIELDS, domainFieldsOf } from '../../../domain/payload/typed-data-domain.ts';
import type { TypedDataEncoder } from '../../../ports/typed-data-encoder.ts';
import { findValueIssue } from './find-value-issue.ts';
import { findNestingIssue } from './struct-nesting.ts';
import { readStructTypes, type StructTypes } from './struct-types.ts';

const NO_STRUCTS: StructTypes = new Map();

/** 0x19 and the version byte of EIP-191 that EIP-712 has. */
const PREFIX = '0x1901';

/**
 * EIP-712 by ethers, behind checks of this service's own. ethers alone passes over members that no type names, takes whatever is not false for true, reads
 * addresses in other forms too, wants no type beside those that are used, and walks through woven types without end. What is encoded is the caller's
 * primary type and the types that it leads to.
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
      message: `is no member of a domain, which may have ${known}`,
    };
  }
  const fields = domainFieldsOf(domain).map(({ name, type }) => ({ name, type: { base: type, lengths: [] } }));
  return findValueIssue('data.domain', domain, fields, NO_STRUCTS);
}

/** `types` lead to each other from one that none of them leads to, so ethers can only take that one for the primary type. */
function encodeByEthers(
  domain: JsonObject,
  types: Record<string, TypedDataField[]>,
  message: JsonObject,
): Outcome<Uint8Array, Issue> {
  try {
    const parts = [PREFIX, EthersEncoder.hashDomain(domain), EthersEncoder.from(types).hash(message)];
    return accepted(getBytes(concat(parts)));
  } catch {
    // Nothing that passed the checks is known to come here; what ethers says of it may hold the caller's values.
    return refused({ path: 'data', message: 'must be typed data that EIP-712 can encode' });
  }
}
