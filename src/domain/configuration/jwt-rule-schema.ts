import { z } from 'zod';
import { recordSchema } from '../model/configured-account.ts';
import { MAX_TOKEN_LIFETIME, TOKEN_TIME_FORMS } from '../model/payload-rule.ts';
import { findTokenTemplateIssue } from '../payload/template.ts';

const MAX_MEMBERS = 16;
const MAX_ELEMENTS = 8;
const MAX_TEMPLATE_LENGTH = 1000;

const MEMBER_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_.:/-]{0,63}$/;
const MEMBER_NAME_MESSAGE =
  'contains an invalid name; a name has 1 to 64 letters, digits or _ . : / - and starts with a letter';

/** The rule writes alg and typ; others name a key or change what is signed (RFC 7515 §4.1). */
const RESERVED_HEADERS: readonly string[] = ['alg', 'typ', 'crit', 'b64', 'jku', 'jwk', 'x5u', 'x5c', 'zip', 'enc'];

const memberName = z.string().regex(MEMBER_NAME_PATTERN, MEMBER_NAME_MESSAGE);
const headerName = memberName.refine(
  (name) => !RESERVED_HEADERS.includes(name),
  `contains a reserved name: ${RESERVED_HEADERS.join(', ')}`,
);

const template = z
  .string()
  .min(1, 'must have at least one character')
  .max(MAX_TEMPLATE_LENGTH, `must have at most ${MAX_TEMPLATE_LENGTH} characters`)
  .superRefine((text, context) => {
    const issue = findTokenTemplateIssue(text);
    if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message });
  });

const list = z.array(template).min(1).max(MAX_ELEMENTS, `must have at most ${MAX_ELEMENTS} elements`);

const LIFETIME_MESSAGE = `must be a whole number of seconds, 1 to ${MAX_TOKEN_LIFETIME}`;

const time = z
  .strictObject({
    time: z.enum(TOKEN_TIME_FORMS).describe('s, ms: Unix time in seconds or milliseconds.'),
    expiresIn: z
      .int(LIFETIME_MESSAGE)
      .min(1, LIFETIME_MESSAGE)
      .max(MAX_TOKEN_LIFETIME, LIFETIME_MESSAGE)
      .optional()
      .describe('Seconds after data.timestamp. Default: that time itself.'),
  })
  .describe('The time of data.timestamp, as a number.');

/** Options of rule `jwt`; `jwtIssues` checks them together. */
export const jwtRuleOptions = {
  header: recordSchema(headerName, z.union([template, list]), MEMBER_NAME_MESSAGE)
    .refine((named) => Object.keys(named).length <= MAX_MEMBERS, `must have at most ${MAX_MEMBERS} members`)
    .meta({ maxProperties: MAX_MEMBERS })
    .optional()
    .describe('Members of the header beside alg and typ: templates as in claims, or lists of templates.'),
  claims: recordSchema(memberName, z.union([template, list, time]), MEMBER_NAME_MESSAGE)
    .refine((named) => Object.keys(named).length <= MAX_MEMBERS, `must have at most ${MAX_MEMBERS} members`)
    .meta({ maxProperties: MAX_MEMBERS })
    .optional()
    .describe(
      'Claims in their order: templates with {METHOD}, {method}, {path}, {data.NAME} and {account.NAME}, lists of templates, or times. Default: jti of {data.nonce}.',
    ),
  queryHash: z
    .strictObject({
      encode: z
        .enum(['percent', 'none'])
        .optional()
        .describe('percent: RFC 3986 (default). none: names and values unchanged.'),
    })
    .optional()
    .describe('Adds the claims query_hash and query_hash_alg: SHA-512 of data.params as a query string.'),
};
