import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { accepted, type Outcome, refused } from '../../model/outcome.ts';
import type { TypedData, TypedDataField, TypedDataTypes } from '../../model/payload.ts';
import type { Issue } from '../../model/refusal.ts';
import { isJsonObject, jsonPath, ownMember } from '../../model/text/json-path.ts';
import { DOMAIN_TYPE, encodeTypedData, findDomainMismatch, getDomainFields, readTypeFields } from '../eip712.ts';
import { isExchangeDomain, MULTI_SIG_TYPE } from '../hyperliquid-agent.ts';
import { fieldMessage, invalid } from '../payload-outcome.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { eip712Domain } from '../rule-options.ts';
import { readTypedData as readTypedDataContent } from '../signed/read-typed-data.ts';

const MEMBERS = ['domain', 'types', 'primaryType', 'message'];

/**
 * Reads `{domain, types, primaryType, message}`, the form of eth_signTypedData_v4, and rejects
 * other members. `types.EIP712Domain` is optional and must list exactly the domain's members. The
 * encoder validates types and values.
 */
function readTypedData(data: JsonObject): Outcome<TypedData, Issue> {
  const unknown = Object.keys(data).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return invalid(
      jsonPath('data', [unknown]),
      'is not a field of typed data; the fields are domain, types, primaryType and message',
    );
  }
  const domain = ownMember(data, 'domain');
  if (!isJsonObject(domain))
    return invalid('data.domain', fieldMessage(domain, 'must be an object: the EIP-712 domain'));
  const primaryType = ownMember(data, 'primaryType');
  if (typeof primaryType !== 'string') {
    return invalid('data.primaryType', fieldMessage(primaryType, 'must be a string: the type of the message'));
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
    const fields = readTypeFields(name, value);
    if (!fields.ok) return fields;
    if (name !== DOMAIN_TYPE) types.push([name, fields.value]);
    else if (!isSameList(fields.value, getDomainFields(domain))) {
      return invalid(
        `data.types.${DOMAIN_TYPE}`,
        'must be absent or list exactly the members of data.domain, in the order name (string), version (string), ' +
          'chainId (uint256), verifyingContract (address), salt (bytes32)',
      );
    }
  }
  return accepted(Object.fromEntries(types));
}

function isSameList(left: readonly TypedDataField[], right: readonly TypedDataField[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ name, type }, index) => name === right[index]?.name && type === right[index]?.type)
  );
}

const schema = z.strictObject({
  rule: z.literal('typed-data'),
  domain: eip712Domain
    .exactOptional()
    .describe(
      'Required members of the domain of every message, with their values (chainId in any form, addresses in any case). Default: any domain.',
    ),
});

/**
 * Rule `typed-data`: EIP-712 typed data in the form of eth_signTypedData_v4; the bytes are 0x19
 * 0x01 ‖ domainSeparator ‖ hashStruct(message), 66 of them. Only the configured domain is signed,
 * if there is one, and never that of Hyperliquid's L1 actions, which have their own algorithm, nor
 * the envelope of its multi-sig actions, which has a rule of its own.
 *
 * @example the mail of EIP-712's own example, domain "Ether Mail" / 1 / 1 / 0xCcCC…, signs 1901,
 *   f2cee375…a912090f and c52c0ee5…7a274b371e, 66 bytes in all
 */
export const typedData: RuleModule<typeof schema> = {
  schema,
  algorithms: () => ['eip712'],
  build: (data, rule, context) => {
    const read = readTypedData(data);
    if (!read.ok) return read;
    const issue = rule.domain && findDomainMismatch(read.value.domain, rule.domain);
    if (issue !== undefined) return refused(issue);
    if (read.value.primaryType === MULTI_SIG_TYPE) {
      return invalid(
        'data.primaryType',
        `must not be ${MULTI_SIG_TYPE}, which rule hyperliquid-multi-sig signs: here, policies would see only a hash`,
      );
    }
    const encoded = encodeTypedData(read.value, context);
    if (!encoded.ok || !isExchangeDomain(encoded.value.bytes)) return encoded;
    return invalid(
      'data.domain',
      "must not be the domain of Hyperliquid's L1 actions, which rule hyperliquid-l1 signs",
    );
  },
  ...readAs({ domain: 'map<string, dyn>', primaryType: 'string', message: 'map<string, dyn>' }, ({ content }) =>
    content?.kind === 'typed-data' ? readTypedDataContent(content.typedData) : {},
  ),
};
