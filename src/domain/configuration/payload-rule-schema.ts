import { z } from 'zod';
import { ETHEREUM_ALGORITHMS, SIGNATURE_ENCODINGS } from '../model/algorithm.ts';
import { recordSchema } from '../model/configured-account.ts';
import type { PayloadRule } from '../model/payload.ts';
import { DEFAULT_RULE_NAME, type NamedRule, RULE_NAME_PATTERN } from '../model/platform.ts';
import { sendSchema } from '../model/send.ts';
import { joinNames } from '../model/text/wording.ts';
import { RULES } from '../payload/payload-rules.ts';

type RuleSchema = z.ZodObject<{ readonly rule: z.ZodLiteral<string> }>;

const SCHEMAS: readonly RuleSchema[] = RULES.map(({ schema }) => schema as unknown as RuleSchema);

/** Rules of any of these forms. */
function oneOf<Rule extends PayloadRule>(schemas: readonly RuleSchema[]): z.ZodType<Rule, Rule> {
  return z.discriminatedUnion('rule', schemas as [RuleSchema, ...RuleSchema[]]) as unknown as z.ZodType<Rule, Rule>;
}

export const payloadRuleSchema = oneOf<PayloadRule>(SCHEMAS).describe(
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
