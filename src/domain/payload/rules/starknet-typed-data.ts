import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { accepted, type Outcome, refused } from '../../model/outcome.ts';
import type { StarknetTypedData, TypedDataField, TypedDataTypes } from '../../model/payload.ts';
import type { FixedValues } from '../../model/payload-rule.ts';
import type { Issue } from '../../model/refusal.ts';
import { encodeHex } from '../../model/text/byte-encodings.ts';
import { isJsonObject, jsonPath, ownMember } from '../../model/text/json-path.ts';
import { readTypeFields } from '../eip712.ts';
import { bytesPayload, fieldMessage, invalid } from '../payload-outcome.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { readStarknetData } from '../signed/read-starknet-data.ts';
import {
  FELT_REQUIREMENT,
  findStarknetDomainMismatch,
  parseFelt,
  parseStarknetAddress,
  STARKNET_ADDRESS,
} from '../starknet.ts';

const MEMBERS = ['domain', 'types', 'primaryType', 'message'];

/**
 * Reads `{domain, types, primaryType, message}`, the form of starknet.js, and rejects other
 * members. The encoder validates types and values.
 */
function readStarknetTypedData(data: JsonObject): Outcome<StarknetTypedData, Issue> {
  const unknown = Object.keys(data).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return invalid(
      jsonPath('data', [unknown]),
      'is not a field of typed data; the fields are domain, types, primaryType and message',
    );
  }
  const domain = ownMember(data, 'domain');
  if (!isJsonObject(domain))
    return invalid('data.domain', fieldMessage(domain, 'must be an object: the domain of SNIP-12'));
  const revision = readRevision(domain);
  if (!revision.ok) return revision;
  const primaryType = ownMember(data, 'primaryType');
  if (typeof primaryType !== 'string') {
    return invalid('data.primaryType', fieldMessage(primaryType, 'must be a string: the type of the message'));
  }
  const message = ownMember(data, 'message');
  if (!isJsonObject(message)) return invalid('data.message', fieldMessage(message, 'must be an object'));
  const types = readTypes(ownMember(data, 'types'));
  if (!types.ok) return types;
  return accepted({ revision: revision.value, domain, types: types.value, primaryType, message });
}

function readRevision(domain: JsonObject): Outcome<0 | 1, Issue> {
  const revision = ownMember(domain, 'revision');
  if (revision === undefined) return accepted(0);
  const felt = parseFelt(revision);
  if (felt === 0n || felt === 1n) return accepted(felt === 0n ? 0 : 1);
  return invalid('data.domain.revision', 'must be 0, 1 or absent, which is 0: a revision of SNIP-12');
}

function readTypes(given: JsonValue | undefined): Outcome<TypedDataTypes, Issue> {
  if (!isJsonObject(given)) {
    return invalid('data.types', fieldMessage(given, 'must be an object that lists the fields of each struct type'));
  }
  const types: [string, readonly TypedDataField[]][] = [];
  for (const [name, value] of Object.entries(given)) {
    const fields = readTypeFields(name, value, '; enum and merkletree are not supported');
    if (!fields.ok) return fields;
    types.push([name, fields.value]);
  }
  return accepted(Object.fromEntries(types));
}

const felt = z
  .union([z.int().min(0), z.string()], FELT_REQUIREMENT)
  .refine((value) => parseFelt(value) !== undefined, FELT_REQUIREMENT);

/** SNIP-12 domain members, at least one. */
const starknetDomain = z
  .strictObject({
    name: felt.exactOptional(),
    version: felt.exactOptional(),
    chainId: felt.exactOptional(),
    revision: felt.exactOptional(),
  })
  .refine((domain) => Object.keys(domain).length > 0, 'must have at least one member');

const schema = z.strictObject({
  rule: z.literal('starknet-typed-data'),
  domain: starknetDomain
    .exactOptional()
    .describe(
      'Required members of the domain of every message, with their values: short strings or numbers in any form. Default: any domain.',
    ),
});

/**
 * Rule `starknet-typed-data`: SNIP-12 typed data of revision 0 or 1 for the StarkNet address that
 * the account's fixed value `address` has; callers cannot choose it. The bytes are the revision and
 * the four field elements whose hash is signed, 129 of them: see `StarknetTypedDataEncoder`. Only
 * the configured domain is signed, if there is one.
 *
 * @throws Error without a valid address, which a validated configuration rules out
 */
export const starknetTypedData: RuleModule<typeof schema> = {
  schema,
  values: [STARKNET_ADDRESS],
  algorithms: () => ['starknet'],
  build: (data, rule, { starknet, values }) => {
    const read = readStarknetTypedData(data);
    if (!read.ok) return read;
    const issue = rule.domain && findStarknetDomainMismatch(read.value.domain, rule.domain);
    if (issue !== undefined) return refused(issue);
    const encoded = starknet.encode(read.value, accountAddress(values));
    if (!encoded.ok) return encoded;
    const content = { kind: 'starknet-typed-data', typedData: read.value } as const;
    const parts = { values: { [STARKNET_ADDRESS]: String(values[STARKNET_ADDRESS]) } };
    return bytesPayload({ bytes: encoded.value, text: encodeHex(encoded.value), encoding: 'hex', content }, parts);
  },
  // `message` has the numbers of felts, `texts` their short strings.
  ...readAs(
    { domain: 'map<string, dyn>', primaryType: 'string', message: 'map<string, dyn>', texts: 'map<string, dyn>' },
    ({ content }) => (content?.kind === 'starknet-typed-data' ? readStarknetData(content.typedData) : {}),
  ),
};

function accountAddress(values: FixedValues): bigint {
  const text = Object.hasOwn(values, STARKNET_ADDRESS) ? values[STARKNET_ADDRESS] : undefined;
  const address = text === undefined ? undefined : parseStarknetAddress(text);
  if (address === undefined) throw new Error(`The account has no StarkNet address in its value ${STARKNET_ADDRESS}.`);
  return address;
}
