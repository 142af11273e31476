import { z } from 'zod';
import type { FixedValues } from '../../model/payload.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { encodeStarknetData } from '../typed-data/snip12.ts';
import { FELT_REQUIREMENT, parseFelt, parseStarknetAddress, STARKNET_ADDRESS } from '../typed-data/starknet.ts';

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
 * the four field elements whose hash is signed, 129 of them: see `encodeStarknetData`. Only the
 * configured domain is signed, if there is one.
 *
 * @throws Error without a valid address, which a validated configuration rules out
 */
export const starknetTypedData: RuleModule<typeof schema> = {
  schema,
  values: [STARKNET_ADDRESS],
  algorithms: ['starknet'],
  build: (data, rule, context) => ({
    ...encodeStarknetData(data, accountAddress(context.values), rule.domain ?? {}, context),
    parts: { values: { [STARKNET_ADDRESS]: String(context.values[STARKNET_ADDRESS]) } },
  }),
  findValueIssue: ({ [STARKNET_ADDRESS]: address }) => {
    if (address === undefined || parseStarknetAddress(address) !== undefined) return undefined;
    const message = 'must be a StarkNet address: 0x and 1 to 64 hex digits, above 0 and below 2^251 - 256';
    return { path: [STARKNET_ADDRESS], message };
  },
  // `message` has the numbers of felts, `texts` their short strings.
  ...readAs(
    { domain: 'map<string, dyn>', primaryType: 'string', message: 'map<string, dyn>', texts: 'map<string, dyn>' },
    ({ content }) => (content?.kind === 'typed-data' ? content.fields : {}),
  ),
};

function accountAddress(values: FixedValues): bigint {
  const text = Object.hasOwn(values, STARKNET_ADDRESS) ? values[STARKNET_ADDRESS] : undefined;
  const address = text === undefined ? undefined : parseStarknetAddress(text);
  if (address === undefined) throw new Error(`The account has no StarkNet address in its value ${STARKNET_ADDRESS}.`);
  return address;
}
