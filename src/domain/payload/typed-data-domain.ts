import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { TypedDataField } from '../model/typed-data.ts';
import { ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { typedDataInteger } from './typed-data-integer.ts';

/** Name of the struct type that a domain is of. */
export const DOMAIN_TYPE = 'EIP712Domain';

/** Members that a domain may have, in the order in which they are encoded (EIP-712, "Definition of domainSeparator"). */
export const DOMAIN_FIELDS: readonly TypedDataField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

/** The fields of `EIP712Domain` for a domain that has these members. */
export function domainFieldsOf(domain: JsonObject): readonly TypedDataField[] {
  return DOMAIN_FIELDS.filter(({ name }) => Object.hasOwn(domain, name));
}

/** The first member of `data.domain` that is not the one of the configuration. Members that the configuration does not name are free. */
export function findForeignDomain(domain: JsonObject, pinned: JsonObject): Issue | undefined {
  const foreign = Object.entries(pinned).find(([name, value]) => !isSame(name, value, ownMember(domain, name)));
  if (foreign === undefined) return undefined;
  const [name] = foreign;
  return {
    path: jsonPath('data', ['domain', name]),
    message: 'must be the one of this platform: its configuration names the domain that may be signed',
  };
}

function isSame(name: string, pinned: JsonValue, given: JsonValue | undefined): boolean {
  if (given === undefined) return false;
  const type = DOMAIN_FIELDS.find((field) => field.name === name)?.type;
  if (type === 'uint256') {
    const wanted = typedDataInteger(pinned);
    return wanted !== undefined && wanted === typedDataInteger(given);
  }
  if (type === 'string') return pinned === given;
  return typeof pinned === 'string' && typeof given === 'string' && pinned.toLowerCase() === given.toLowerCase();
}
