import { z } from 'zod';
import { SECP256K1_ALGORITHMS, SIGNATURE_ENCODINGS } from '../model/algorithm.ts';
import { fixedValuesSchema, recordSchema } from '../model/configured-account.ts';
import {
  BODY_FORMS,
  BODY_HASHES,
  PARAMETER_PRESENCES,
  PASSPHRASE_FORMS,
  PATH_QUERIES,
  TIMESTAMP_FORMS,
} from '../model/payload-rule.ts';
import { DEFAULT_RULE_NAME, RULE_NAME_PATTERN } from '../model/platform.ts';
import type { Issue } from '../model/refusal.ts';
import { sendSchema } from '../model/send.ts';
import { isMemberName, isStructName } from '../payload/eip712.ts';
import { CHAIN_ID_PATTERN } from '../payload/sign-doc.ts';
import { FELT_REQUIREMENT, parseFelt } from '../payload/starknet.ts';
import { findAffixIssue, findTemplateIssue } from '../payload/template.ts';
import { jwtRuleOptions } from './jwt-rule-schema.ts';

const PATH_START_PATTERN = /^\/[A-Za-z0-9/._~-]*$/;
const DECIMAL_PATTERN = /^(?:0|[1-9][0-9]{0,77})$/;
const CHAIN_MESSAGE = 'must be an integer from 0 to 2^256 - 1, or its decimal digits as a string';
/** Of an Ethereum address. The schema checks its form, `findChecksumIssues` its checksum. */
export const ADDRESS_MESSAGE = 'must be an address: 0x and 40 hex digits, in one case or with a valid EIP-55 checksum';

const text = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode; it contains a lone surrogate');

/** EIP-712 domain members ("Definition of domainSeparator"), at least one. */
const eip712DomainSchema = z
  .strictObject({
    name: text.optional(),
    version: text.optional(),
    chainId: z
      .union(
        [
          z.int(CHAIN_MESSAGE).min(0, CHAIN_MESSAGE),
          z
            .string()
            .regex(DECIMAL_PATTERN, { error: CHAIN_MESSAGE, abort: true })
            .refine((digits) => BigInt(digits) < 2n ** 256n, CHAIN_MESSAGE),
        ],
        CHAIN_MESSAGE,
      )
      .optional(),
    verifyingContract: z
      .string()
      .regex(/^0x[0-9A-Fa-f]{40}$/, ADDRESS_MESSAGE)
      .optional(),
    salt: z
      .string()
      .regex(/^0x[0-9A-Fa-f]{64}$/, 'must be 32 bytes: 0x and 64 hex digits')
      .optional(),
  })
  .refine((domain) => Object.keys(domain).length > 0, 'must have at least one member');

const felt = z
  .union([z.int().min(0), z.string()], FELT_REQUIREMENT)
  .refine((value) => parseFelt(value) !== undefined, FELT_REQUIREMENT);

/** SNIP-12 domain members, at least one. */
const starknetDomainSchema = z
  .strictObject({
    name: felt.optional(),
    version: felt.optional(),
    chainId: felt.optional(),
    revision: felt.optional(),
  })
  .refine((domain) => Object.keys(domain).length > 0, 'must have at least one member');

const chain = z.string().regex(CHAIN_ID_PATTERN, 'must be a chain ID: 1 to 50 printable ASCII characters, no spaces');

const field = z.string().min(1, 'must name a field of data').max(128, 'must have at most 128 characters');

const template = templateSchema(findTemplateIssue);
const affix = templateSchema(findAffixIssue);

const pathForm = z
  .strictObject({
    start: z
      .string()
      .max(64, 'must have at most 64 characters')
      .regex(PATH_START_PATTERN, 'must start with /, followed by letters, digits and any of / - . _ ~')
      .optional()
      .describe('Text that it starts with, such as /v2/.'),
    query: z
      .enum(PATH_QUERIES)
      .optional()
      .describe('none: it must not have a query, which the venue does not sign. Default: as the template allows.'),
  })
  .refine((form) => Object.keys(form).length > 0, 'must have at least one member');

const PARAMETERS_MESSAGE = 'contains an invalid name; a name has 1 to 128 characters';

const queryStyle = {
  sort: z.boolean().optional().describe('Sort by name, in ASCII order. Default: false, the order sent.'),
  encode: z
    .enum(['percent', 'none'])
    .optional()
    .describe('percent: RFC 3986 (default). none: names and values unchanged.'),
  parameters: recordSchema(
    z.string().min(1, PARAMETERS_MESSAGE).max(128, PARAMETERS_MESSAGE),
    z.enum(PARAMETER_PRESENCES),
    PARAMETERS_MESSAGE,
  )
    .optional()
    .describe(
      'Parameters that a request must have (required) or must not have (excluded), such as those by which the venue tells requests of another rule of the same key apart. Default: any.',
    ),
};

/** Some venues use a colon, as in HyperliquidTransaction:UsdSend. */
const TYPE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_:]{0,63}$/;
const MEMBER_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const TYPE_NAME_MESSAGE =
  'must be the name of a struct type: 1 to 64 letters, digits, _ or :, starting with a letter or _';

const typedDataWrap = z.strictObject({
  domain: eip712DomainSchema,
  primaryType: z
    .string()
    .regex(TYPE_NAME_PATTERN, TYPE_NAME_MESSAGE)
    .refine(isStructName, 'must not be a name reserved by EIP-712, nor __proto__'),
  member: z
    .string()
    .regex(MEMBER_NAME_PATTERN, 'must be 1 to 64 letters, digits or _, not starting with a digit')
    .refine(isMemberName, 'must not be __proto__'),
});

export const payloadRuleSchema = z
  .discriminatedUnion('rule', [
    z.strictObject({ rule: z.literal('jcs'), field: field.optional() }),
    z.strictObject({
      rule: z.literal('json'),
      field: field.optional(),
      encode: z.literal('base64').optional().describe('base64: the base64 form of the text is signed.'),
    }),
    z.strictObject({ rule: z.literal('raw') }),
    z.strictObject({
      rule: z.literal('query'),
      field: field.optional().describe('Member of data with the parameters. Default: params.'),
      ...queryStyle,
      prefix: affix.optional().describe('Template of the text before the parameters.'),
      suffix: affix.optional().describe('Template of the text after the parameters.'),
      timestamp: z
        .enum(TIMESTAMP_FORMS)
        .optional()
        .describe('Format of {timestamp} in prefix and suffix, as in rule prehash.'),
      typedData: typedDataWrap
        .optional()
        .describe('The text is signed as the only member of an EIP-712 message. Algorithm eip712 only.'),
    }),
    z.strictObject({
      rule: z.literal('prehash'),
      template: template.optional().describe('Default: {timestamp}{METHOD}{path}{body}.'),
      separator: z
        .string()
        .min(1, 'must have at least one character')
        .max(16, 'must have at most 16 characters')
        .regex(/^[^{}]*$/, 'must not contain braces')
        .refine((text) => text.isWellFormed(), 'must be well-formed Unicode; it contains a lone surrogate')
        .optional()
        .describe('Separator between two adjacent placeholders.'),
      timestamp: z
        .enum(TIMESTAMP_FORMS)
        .optional()
        .describe(
          'iso: ISO 8601 with milliseconds; ms, s: Unix time in milliseconds or seconds. Default: the text as sent.',
        ),
      path: pathForm.optional().describe('Requirements on the path. Default: none.'),
      query: z.strictObject(queryStyle).optional().describe('Serialization of a query that is an object.'),
      body: z
        .enum(BODY_FORMS)
        .optional()
        .describe('What a body is, and the serialization of one that is an object. Default: json.'),
      bodyHash: z
        .enum(BODY_HASHES)
        .optional()
        .describe('Form of the body: itself (none, the default), or its hash in hexadecimal.'),
      values: fixedValuesSchema.optional().describe('Default values, for accounts that do not set them.'),
      passphrase: z
        .enum(PASSPHRASE_FORMS)
        .optional()
        .describe(
          "mac: requests carry the HMAC of the account's passphrase, which account add --passphrase-file stores as its value passphrase. Default: none.",
        ),
    }),
    z.strictObject({ rule: z.literal('kraken') }),
    z.strictObject({ rule: z.literal('backpack') }),
    z.strictObject({
      rule: z.literal('typed-data'),
      domain: eip712DomainSchema
        .optional()
        .describe(
          'Required members of the domain of every message, with their values (chainId in any form, addresses in any case). Default: any domain.',
        ),
    }),
    z.strictObject({
      rule: z.literal('hyperliquid-l1'),
      network: z.enum(['mainnet', 'testnet']).optional().describe('Default: mainnet.'),
    }),
    z.strictObject({ rule: z.literal('concat-sorted') }),
    z.strictObject({ rule: z.literal('kraken-futures') }),
    z.strictObject({
      rule: z.literal('starknet-typed-data'),
      domain: starknetDomainSchema
        .optional()
        .describe(
          'Required members of the domain of every message, with their values: short strings or numbers in any form. Default: any domain.',
        ),
    }),
    z.strictObject({
      rule: z.literal('hyperliquid-multi-sig'),
      network: z.enum(['mainnet', 'testnet']).optional().describe('Default: mainnet.'),
    }),
    z.strictObject({
      rule: z.literal('cosmos-sign-doc'),
      chainId: z
        .union(
          [chain, z.array(chain).min(1, 'must list at least one chain ID').max(64, 'must list at most 64 chain IDs')],
          'must be a chain ID or a list of chain IDs',
        )
        .optional()
        .describe('Only transactions of this chain, or of one of these chains, are signed. Default: any chain.'),
    }),
    z.strictObject({ rule: z.literal('jwt'), ...jwtRuleOptions }),
  ])
  .describe('Payload rule: how the bytes to sign are built from the data of a request. Default: by format.');

/** Named rules of a platform. */
const MAX_RULES = 16;

const RULE_NAME_MESSAGE =
  'contains an invalid name; a name has 1 to 32 lowercase letters, digits or - and starts with a letter';

const own = {
  algorithm: z
    .enum(SECP256K1_ALGORITHMS)
    .optional()
    .describe(
      'Algorithm instead of that of the account. Only if all algorithms of the platform are eip191, eip712 or hyperliquid-l1. ' +
        "Default: the account's algorithm.",
    ),
  encoding: z
    .enum(SIGNATURE_ENCODINGS)
    .optional()
    .describe("Encoding of signatures by this rule. Default: the platform's encoding."),
  send: sendSchema.optional(),
};

const [
  jcs,
  json,
  raw,
  query,
  prehash,
  kraken,
  backpack,
  typedData,
  hyperliquidL1,
  concatSorted,
  krakenFutures,
  starknet,
  hyperliquidMultiSig,
  cosmosSignDoc,
  jwt,
] = payloadRuleSchema.options;

const namedRuleSchema = z.discriminatedUnion('rule', [
  jcs.extend(own),
  json.extend(own),
  raw.extend(own),
  query.extend(own),
  prehash.extend(own),
  kraken.extend(own),
  backpack.extend(own),
  typedData.extend(own),
  hyperliquidL1.extend(own),
  concatSorted.extend(own),
  krakenFutures.extend(own),
  starknet.extend(own),
  hyperliquidMultiSig.extend(own),
  cosmosSignDoc.extend(own),
  jwt.extend(own),
]);

export const namedRulesSchema = recordSchema(
  z
    .string()
    .regex(RULE_NAME_PATTERN, RULE_NAME_MESSAGE)
    .refine(
      (name) => name !== DEFAULT_RULE_NAME,
      `contains the name ${DEFAULT_RULE_NAME}, which is reserved for payload`,
    ),
  namedRuleSchema,
  RULE_NAME_MESSAGE,
)
  .refine((rules) => Object.keys(rules).length <= MAX_RULES, `must have at most ${MAX_RULES} rules`)
  .meta({ maxProperties: MAX_RULES })
  .describe(
    'Named rules for the same accounts, each like payload, selected by the field rule of a request. They accept any data, regardless of the format.',
  );

function templateSchema(findIssue: (text: string) => Issue | undefined) {
  return z
    .string()
    .max(1000, 'must have at most 1000 characters')
    .superRefine((text, context) => {
      const issue = findIssue(text);
      if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message });
    });
}
