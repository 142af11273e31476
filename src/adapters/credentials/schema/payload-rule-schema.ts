import { isAddress } from 'ethers/address';
import { z } from 'zod';
import { SECP256K1_ALGORITHMS, SIGNATURE_ENCODINGS } from '../../../domain/model/algorithm.ts';
import { BODY_FORMS, BODY_HASHES, TIMESTAMP_FORMS } from '../../../domain/model/payload-rule.ts';
import { DEFAULT_RULE_NAME, RULE_NAME_PATTERN } from '../../../domain/model/platform.ts';
import type { Issue } from '../../../domain/model/refusal.ts';
import { isMemberName, isStructName } from '../../../domain/payload/eip712.ts';
import { findAffixIssue, findTemplateIssue } from '../../../domain/payload/template.ts';
import { fixedValuesSchema, recordSchema } from './account-schema.ts';

const DECIMAL_PATTERN = /^(?:0|[1-9][0-9]{0,77})$/;
const CHAIN_MESSAGE = 'must be a whole number below 2^256, or its decimal digits as a text';
const ADDRESS_MESSAGE = 'must be an address: 0x and 40 hex digits, in one case or with a right EIP-55 checksum';

const text = z.string().refine((text) => text.isWellFormed(), 'must be well-formed Unicode; it holds a lone surrogate');

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
      .regex(/^0x[0-9A-Fa-f]{40}$/, { error: ADDRESS_MESSAGE, abort: true })
      .refine((address) => isAddress(address), ADDRESS_MESSAGE)
      .optional(),
    salt: z
      .string()
      .regex(/^0x[0-9A-Fa-f]{64}$/, 'must be 32 bytes: 0x and 64 hex digits')
      .optional(),
  })
  .refine((domain) => Object.keys(domain).length > 0, 'must have at least one member');

const field = z.string().min(1, 'must name a field of data').max(128, 'must be at most 128 characters');

const template = templateSchema(findTemplateIssue);
const affix = templateSchema(findAffixIssue);

const queryStyle = {
  sort: z.boolean().optional().describe('By name, in ASCII order. Default: false, the order sent.'),
  encode: z
    .enum(['percent', 'none'])
    .optional()
    .describe('percent: as RFC 3986 says (default). none: names and values as they are.'),
};

/** Some venues use a colon, as in HyperliquidTransaction:UsdSend. */
const TYPE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_:]{0,63}$/;
const MEMBER_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const TYPE_NAME_MESSAGE = 'must be the name of a struct type: 1 to 64 letters, digits or _ :, with a letter or _ first';

const typedDataWrap = z.strictObject({
  domain: eip712DomainSchema,
  primaryType: z
    .string()
    .regex(TYPE_NAME_PATTERN, TYPE_NAME_MESSAGE)
    .refine(isStructName, "must not be a name of EIP-712's own, nor __proto__"),
  member: z
    .string()
    .regex(MEMBER_NAME_PATTERN, 'must be 1 to 64 letters, digits or _, with no digit first')
    .refine(isMemberName, 'must not be __proto__'),
});

export const payloadRuleSchema = z
  .discriminatedUnion('rule', [
    z.strictObject({ rule: z.literal('jcs'), field: field.optional() }),
    z.strictObject({ rule: z.literal('json'), field: field.optional() }),
    z.strictObject({ rule: z.literal('raw') }),
    z.strictObject({
      rule: z.literal('query'),
      field: field.optional().describe('Member of data that holds the parameters. Default: params.'),
      ...queryStyle,
      prefix: affix.optional().describe('Template of what stands before the parameters.'),
      suffix: affix.optional().describe('Template of what stands after the parameters.'),
      timestamp: z
        .enum(TIMESTAMP_FORMS)
        .optional()
        .describe('Form of {timestamp} in prefix and suffix, as of prehash.'),
      typedData: typedDataWrap
        .optional()
        .describe('The text is signed as the one member of an EIP-712 message. Algorithm eip712 only.'),
    }),
    z.strictObject({
      rule: z.literal('prehash'),
      template: template.optional().describe('Default: {timestamp}{METHOD}{path}{body}.'),
      separator: z
        .string()
        .min(1, 'must have at least one character')
        .max(16, 'must be at most 16 characters')
        .regex(/^[^{}]*$/, 'must have no brace')
        .refine((text) => text.isWellFormed(), 'must be well-formed Unicode; it holds a lone surrogate')
        .optional()
        .describe('Stands between two placeholders that stand side by side.'),
      timestamp: z
        .enum(TIMESTAMP_FORMS)
        .optional()
        .describe('iso: with milliseconds; ms, s: since 1970. Default: the text as sent.'),
      query: z.strictObject(queryStyle).optional().describe('How a query that is an object is written.'),
      body: z.enum(BODY_FORMS).optional().describe('How a body that is an object is written. Default: json.'),
      bodyHash: z
        .enum(BODY_HASHES)
        .optional()
        .describe('What stands for the body: itself (none, the default), or the hex digits of its hash.'),
      values: fixedValuesSchema.optional().describe('Values for accounts that have none of their own.'),
    }),
    z.strictObject({ rule: z.literal('kraken') }),
    z.strictObject({ rule: z.literal('backpack') }),
    z.strictObject({
      rule: z.literal('typed-data'),
      domain: eip712DomainSchema
        .optional()
        .describe(
          'Members that the domain of every message must have, with these values (chainId in any form, addresses in any case). Default: any domain.',
        ),
    }),
    z.strictObject({
      rule: z.literal('hyperliquid-l1'),
      network: z.enum(['mainnet', 'testnet']).optional().describe('Default: mainnet.'),
    }),
  ])
  .describe('How the bytes to sign are made from the data of a request. Default: by format.');

/** Named rules of a platform. */
const MAX_RULES = 16;

const RULE_NAME_MESSAGE = 'has a name that is not 1 to 32 of a-z, 0-9 and -, with a letter first';

const own = {
  algorithm: z
    .enum(SECP256K1_ALGORITHMS)
    .optional()
    .describe(
      "Signs with the key of the account, in place of the account's algorithm. Only where all algorithms of the platform are eip191, eip712 or hyperliquid-l1. " +
        "Default: the account's.",
    ),
  encoding: z
    .enum(SIGNATURE_ENCODINGS)
    .optional()
    .describe("Text encoding of signatures by this rule. Default: the platform's."),
};

const [jcs, json, raw, query, prehash, kraken, backpack, typedData, hyperliquidL1] = payloadRuleSchema.options;

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
]);

export const namedRulesSchema = recordSchema(
  z
    .string()
    .regex(RULE_NAME_PATTERN, RULE_NAME_MESSAGE)
    .refine((name) => name !== DEFAULT_RULE_NAME, `has a name that is ${DEFAULT_RULE_NAME}, which stands for payload`),
  namedRuleSchema,
  RULE_NAME_MESSAGE,
)
  .refine((rules) => Object.keys(rules).length <= MAX_RULES, `must have at most ${MAX_RULES} rules`)
  .meta({ maxProperties: MAX_RULES })
  .describe(
    'Further rules for the same accounts, each as in payload, which requests name in their field rule. They take any data, whatever the format.',
  );

function templateSchema(findIssue: (text: string) => Issue | undefined) {
  return z
    .string()
    .max(1000, 'must be at most 1000 characters')
    .superRefine((text, context) => {
      const issue = findIssue(text);
      if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message });
    });
}
