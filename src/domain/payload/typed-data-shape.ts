import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { accepted, type Outcome } from '../model/outcome.ts';
import type { TypedData, TypedDataField, TypedDataTypes } from '../model/typed-data.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { fieldMessage, invalid } from './payload-outcome.ts';
import { DOMAIN_TYPE, domainFieldsOf } from './typed-data-domain.ts';

const MEMBERS = ['domain', 'types', 'primaryType', 'message'];

/**
 * Reads `{domain, types, primaryType, message}`, the form of eth_signTypedData_v4, and nothing beside. `types.EIP712Domain` may be missing; where it is
 * given it must list exactly the members that the domain has. Whether types and values make sense is left to who encodes them.
 */
export function readTypedData(data: JsonObject): Outcome<TypedData, Issue> {
  const unknown = Object.keys(data).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return invalid(
      jsonPath('data', [unknown]),
      'is no part of typed data, which is domain, types, primaryType and message',
    );
  }
  const domain = ownMember(data, 'domain');
  if (!isJsonObject(domain))
    return invalid('data.domain', fieldMessage(domain, 'must be an object, the EIP-712 domain'));
  const primaryType = ownMember(data, 'primaryType');
  if (typeof primaryType !== 'string') {
    return invalid('data.primaryType', fieldMessage(primaryType, "must be a string, the name of the message's type"));
  }
  const message = ownMember(data, 'message');
  if (!isJsonObject(message)) return invalid('data.message', fieldMessage(message, 'must be an object'));
  const types = readTypes(ownMember(data, 'types'), domain);
  return types.ok ? accepted({ domain, types: types.value, primaryType, message }) : types;
}

function readTypes(given: JsonValue | undefined, domain: JsonObject): Outcome<TypedDataTypes, Issue> {
  if (!isJsonObject(given)) {
    return invalid('data.types', fieldMessage(given, 'must be an object that lists the fields of each struct type'));
  }
  const types: [string, readonly TypedDataField[]][] = [];
  for (const [name, value] of Object.entries(given)) {
    const fields = readFields(name, value);
    if (!fields.ok) return fields;
    if (name !== DOMAIN_TYPE) types.push([name, fields.value]);
    else if (!isSameList(fields.value, domainFieldsOf(domain))) {
      return invalid(
        `data.types.${DOMAIN_TYPE}`,
        'must list the members that data.domain has, no others, in the order name (string), version (string), chainId (uint256), ' +
          'verifyingContract (address), salt (bytes32); it may be left out',
      );
    }
  }
  return accepted(Object.fromEntries(types));
}

function readFields(type: string, given: JsonValue): Outcome<readonly TypedDataField[], Issue> {
  if (!Array.isArray(given)) return invalid(jsonPath('data', ['types', type]), 'must be an array of fields');
  const fields: TypedDataField[] = [];
  for (const [index, field] of given.entries()) {
    const read = isJsonObject(field) ? readField(field) : undefined;
    if (read === undefined) {
      return invalid(jsonPath('data', ['types', type, index]), 'must be an object with two strings, name and type');
    }
    fields.push(read);
  }
  return accepted(fields);
}

function readField(field: JsonObject): TypedDataField | undefined {
  const name = ownMember(field, 'name');
  const type = ownMember(field, 'type');
  if (typeof name !== 'string' || typeof type !== 'string' || Object.keys(field).length !== 2) return undefined;
  return { name, type };
}

function isSameList(left: readonly TypedDataField[], right: readonly TypedDataField[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ name, type }, index) => name === right[index]?.name && type === right[index]?.type)
  );
}
