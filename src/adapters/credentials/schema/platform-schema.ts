import { z } from 'zod';
import { ACCOUNT_STATUSES, SECRET_DECODINGS } from '../../../domain/model/account.ts';
import { ALGORITHMS, SIGNATURE_ENCODINGS } from '../../../domain/model/algorithm.ts';
import { DATA_FORMATS } from '../../../domain/model/platform.ts';
import { identifierSchema } from './account-schema.ts';
import { namedRulesSchema, payloadRuleSchema } from './payload-rule-schema.ts';
import { platformIssues } from './platform-issues.ts';

/** 1 to 8 names of 1 to 64 characters, dotted. */
const CLEAR_PATH_PATTERN = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}$/;

const clearPath = z
  .string()
  .regex(CLEAR_PATH_PATTERN, 'must be 1 to 8 names joined by dots, each of 1 to 64 letters, digits or _ -')
  .refine(
    (text) => !text.split('.').includes('__proto__'),
    'must not name __proto__, which no data that gets signed has',
  );

const audit = z.strictObject({
  clear: z
    .array(clearPath)
    .max(64, 'must name at most 64 paths')
    .refine((paths) => new Set(paths).size === paths.length, 'must not name a path twice')
    .meta({ uniqueItems: true })
    .describe(
      'Members of the data of a request, such as amount or instruction.price, whose numbers, booleans and short texts audit records show in clear, ' +
        'beside what they show by format.',
    ),
});

export const platformSchema = z
  .strictObject({
    platformId: identifierSchema,
    format: z.enum(DATA_FORMATS).describe('Shape of the data in signing requests.'),
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1, 'must name at least one algorithm')
      .refine((names) => new Set(names).size === names.length, 'must not name an algorithm twice')
      .meta({ uniqueItems: true })
      .optional()
      .describe('Algorithms that accounts of this platform may have. Default: by format and rule.'),
    encoding: z
      .enum(SIGNATURE_ENCODINGS)
      .optional()
      .describe(
        'Text encoding of signatures. hex has no prefix and is not for eip191, eip712 and hyperliquid-l1; 0x-hex has 0x. ' +
          'Default: base58 for ed25519, 0x-hex for eip191, eip712 and hyperliquid-l1, hex for HMAC.',
      ),
    payload: payloadRuleSchema.optional(),
    rules: namedRulesSchema.optional(),
    audit: audit.optional().describe('What audit records show of the data of a request. Default: by format.'),
    secretDecoding: z
      .enum(SECRET_DECODINGS)
      .optional()
      .describe(
        'How the secrets of HMAC accounts are made of their texts. utf8 (default): the text itself; hex, base64: what it encodes; ' +
          'base64-text: its own base64 form.',
      ),
    verify: z
      .strictObject({
        mac: z
          .boolean()
          .describe(
            'Whether callers may have HMAC signatures verified. Whoever may learns what only the holder of the secret can know.',
          ),
      })
      .optional(),
    status: z
      .enum(ACCOUNT_STATUSES)
      .optional()
      .describe('Default: active. While a platform is disabled, none of its accounts signs.'),
  })
  .superRefine((entry, context) => {
    for (const { path, message } of platformIssues(entry))
      context.addIssue({ code: 'custom', path: [...path], message });
  });

/** An entry of `platforms`. */
export type PlatformEntry = z.output<typeof platformSchema>;
