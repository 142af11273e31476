import { z } from 'zod';
import { ACCOUNT_STATUSES, SECRET_DECODINGS } from '../model/account.ts';
import { ALGORITHMS, describeAlgorithms, ETHEREUM_ALGORITHMS, SIGNATURE_ENCODINGS } from '../model/algorithm.ts';
import { identifierSchema, recordSchema } from '../model/configured-account.ts';
import type { PayloadRule } from '../model/payload.ts';
import {
  DATA_FORMATS,
  DEFAULT_RULE_NAME,
  type NamedRule,
  type Platform,
  RULE_NAME_PATTERN,
} from '../model/platform.ts';
import { sendSchema } from '../model/send.ts';
import { joinNames } from '../model/text/wording.ts';
import { completePlatform } from '../payload/complete-platform.ts';
import { RULES } from '../payload/payload-rules.ts';
import { platformIssues } from './platform-issues.ts';

/** 1 to 8 names of 1 to 64 characters, dotted. */
const CLEAR_PATH_PATTERN = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}$/;

const clearPath = z
  .string()
  .regex(CLEAR_PATH_PATTERN, 'must be 1 to 8 names separated by dots, each of 1 to 64 letters, digits, _ or -')
  .refine((text) => !text.split('.').includes('__proto__'), 'must not contain __proto__');

const audit = z.strictObject({
  clear: z
    .array(clearPath)
    .max(64, 'must name at most 64 paths')
    .refine((paths) => new Set(paths).size === paths.length, 'must not have duplicate paths')
    .meta({ uniqueItems: true })
    .describe(
      'Additional members of the data, such as amount or instruction.price, whose numbers, booleans and short strings audit records show, ' +
        'besides those of the format.',
    ),
});

type RuleSchema = z.ZodObject<{ readonly rule: z.ZodLiteral<string> }>;

const SCHEMAS: readonly RuleSchema[] = RULES.map(({ schema }) => schema as unknown as RuleSchema);

/** Rules of any of these forms. */
function oneOf<Rule extends PayloadRule>(schemas: readonly RuleSchema[]): z.ZodType<Rule, Rule> {
  return z.discriminatedUnion('rule', schemas as [RuleSchema, ...RuleSchema[]]) as unknown as z.ZodType<Rule, Rule>;
}

const payloadRuleSchema = oneOf<PayloadRule>(SCHEMAS).describe(
  'Payload rule: how the bytes to sign are built from the data of a request. Default: by format.',
);

/** Named rules of a platform. */
const MAX_RULES = 16;

const RULE_NAME_MESSAGE =
  'contains an invalid name; a name has 1 to 32 lowercase letters, digits or - and starts with a letter';

const own = {
  algorithm: z
    .enum(ETHEREUM_ALGORITHMS)
    .optional()
    .describe(
      `Algorithm instead of that of the account. Only if all algorithms of the platform are ${joinNames(ETHEREUM_ALGORITHMS, 'or')}. ` +
        "Default: the account's algorithm.",
    ),
  encoding: z
    .enum(SIGNATURE_ENCODINGS)
    .optional()
    .describe("Encoding of signatures by this rule. Default: the platform's encoding."),
  send: sendSchema.optional(),
};

const namedRuleSchema = oneOf<NamedRule>(SCHEMAS.map((schema) => schema.extend(own)));

const namedRulesSchema = recordSchema(
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

const writtenPlatform = z.strictObject({
  platformId: identifierSchema,
  format: z.enum(DATA_FORMATS).describe('Shape of the data in signing requests.'),
  algorithms: z
    .array(z.enum(ALGORITHMS))
    .min(1, 'must name at least one algorithm')
    .refine((names) => new Set(names).size === names.length, 'must not have duplicate algorithms')
    .meta({ uniqueItems: true })
    .optional()
    .describe('Permitted algorithms of its accounts. Default: by format and rule.'),
  encoding: z
    .enum(SIGNATURE_ENCODINGS)
    .optional()
    .describe(
      `Text encoding of signatures. base64url has no padding, base64url-padded has it. hex has no prefix and is not allowed for ${joinNames(ETHEREUM_ALGORITHMS, 'and')}; 0x-hex has 0x. ` +
        `Default: ${describeAlgorithms('encoding')}.`,
    ),
  payload: payloadRuleSchema.optional(),
  send: sendSchema.optional(),
  rules: namedRulesSchema.optional(),
  audit: audit.optional().describe('Data members shown in audit records. Default: by format.'),
  secretDecoding: z
    .enum(SECRET_DECODINGS)
    .optional()
    .describe(
      'Decoding of HMAC secrets. utf8 (default): the text itself; hex, base64, base64url (padded or not): the encoded bytes; ' +
        'base64-text: the base64 form of the text.',
    ),
  verify: z
    .strictObject({
      mac: z
        .boolean()
        .describe('Whether callers may verify HMAC signatures, which otherwise only a holder of the secret can do.'),
    })
    .optional(),
  status: z.enum(ACCOUNT_STATUSES).optional().describe('Default: active. Accounts of a disabled platform cannot sign.'),
});

/** An entry of `platforms`; its output is complete. */
export const platformSchema = writtenPlatform.transform(complete);

/** A platform of a venue's preset, which `platform add` names; its output is complete. */
export const presetPlatformSchema = writtenPlatform.omit({ platformId: true }).transform((entry, context) => {
  const { platformId: _, ...platform } = complete({ platformId: 'preset', ...entry }, context);
  return platform;
});

function complete(entry: z.output<typeof writtenPlatform>, context: z.RefinementCtx): Platform {
  const platform = completePlatform(entry);
  for (const { path, message } of platformIssues(platform)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
  return platform;
}
