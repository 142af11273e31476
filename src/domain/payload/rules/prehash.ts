import { z } from 'zod';
import { fixedValuesSchema } from '../../model/configured-account.ts';
import { ownMember } from '../../model/json.ts';
import { memoizeByObject } from '../../model/memoize.ts';
import { PASSPHRASE_VALUE, type PayloadParts } from '../../model/payload.ts';
import { type FilledParts, fillTemplate } from '../fill-template.ts';
import { type PayloadContext, textPayload } from '../payload-outcome.ts';
import { checkJoined, checkPathForm, checkQueryPlace, type QuerySource } from '../request-parts.ts';
import type { RuleModule } from '../rule-module.ts';
import {
  bodyForm,
  bodyHash,
  pathForm,
  type QueryStyle,
  queryStyle,
  templateSchema,
  timestampForm,
  wellFormedText,
} from '../rule-options.ts';
import { PART_FIELDS, readParts, toParts } from '../signed/template-parts.ts';
import { findTemplateIssue, findUnusedOptions, parseTemplate, type TemplateToken } from '../template.ts';

const schema = z.strictObject({
  rule: z.literal('prehash'),
  template: templateSchema(findTemplateIssue)
    .default('{timestamp}{METHOD}{path}{body}')
    .describe('Default: {timestamp}{METHOD}{path}{body}.'),
  separator: wellFormedText
    .min(1, 'must have at least one character')
    .max(16, 'must have at most 16 characters')
    .regex(/^[^{}]*$/, 'must not contain braces')
    .exactOptional()
    .describe('Separator between two adjacent placeholders.'),
  timestamp: timestampForm
    .exactOptional()
    .describe(
      'iso: ISO 8601 with milliseconds; ms, s: Unix time in milliseconds or seconds; s-fraction: seconds that may have decimals. Default: the text as sent.',
    ),
  path: pathForm.exactOptional().describe('Requirements on the path. Default: none.'),
  query: z.strictObject(queryStyle).exactOptional().describe('Serialization of a query that is an object.'),
  body: bodyForm
    .exactOptional()
    .describe('What a body is, and the serialization of one that is an object. Default: json.'),
  bodyHash: bodyHash
    .exactOptional()
    .describe('Form of the body: itself (none, the default), or its hash in hexadecimal.'),
  values: fixedValuesSchema.exactOptional().describe('Default values, for accounts that do not set them.'),
  passphrase: z
    .enum(['mac'])
    .exactOptional()
    .describe(
      "mac: requests carry the HMAC of the account's passphrase, which account add --passphrase-file stores as its value passphrase. Default: none.",
    ),
});

/** A template over parts of the request, as OKX and similar platforms sign. */
export type PrehashRule = z.output<typeof schema>;

const OPTIONS = ['timestamp', 'path', 'query', 'body', 'bodyHash'] as const;

/**
 * Rule `prehash`: parts of a request in a template, as OKX and similar platforms sign. Each
 * placeholder is replaced once; braces in the parts have no meaning. Members that the template does
 * not name are not signed, and rejected where callers may expect otherwise
 * (see `findUnsignedPart`).
 *
 * - `{timestamp}`: `data.timestamp` in the form of option `timestamp`: `iso`, `ms`, `s`,
 *   `s-fraction`, or as sent
 * - `{METHOD}`, `{method}`: `data.method` in upper or lower case
 * - `{path}`: `data.path` as sent, begins with `/`, or as option `path` requires
 * - `{query}`: `data.query`: empty when absent, a string verbatim, an object in the style of option
 *   `query`
 * - `{?query}`: `?` and the query, unless it is empty
 * - `{body}`: `data.body`: empty when absent, a string verbatim, an object in the form of option
 *   `body`; with `bodyHash` the lowercase hex of that text's hash, also of the empty one. A string
 *   beside other parts is of that form, too: see `renderBody`
 * - `{data.NAME}`: a string or an integer of `data`, without `&` and `=` beside other text
 * - `{account.NAME}`: a fixed value of the account, else of the rule's `values`
 *
 * With `passphrase` the account's value of this name, if it has one, is among the returned values.
 * It is not signed.
 *
 * `separator` goes between adjacent placeholders, even empty ones, except before `{?query}`. With
 * `{query}` a path must have no query; with `{?query}` alone only one of path and `data.query` may,
 * and not the path under `"encode": "none"`. Strings other than the body have no control
 * characters.
 *
 * Equivalent forms sign alike: an object body and its text, a query in the path or in `data.query`,
 * absent and empty, 5 and "5". Otherwise parts are as ambiguous as the platform's design: without a
 * separator, `/a` before the body `[]` signs as `/a[]`. Templates are unambiguous if line breaks
 * separate the parts and the body is last or hashed.
 *
 * @example template `{timestamp}{METHOD}{path}{body}`: `{"timestamp": "2020-12-08T09:08:57.715Z",
 *   "method": "post", "path": "/api/v5/trade/order", "body": {"instId": "BTC-USDT", "sz": "2"}}`
 *   signs the 77 bytes
 *   `2020-12-08T09:08:57.715ZPOST/api/v5/trade/order{"instId":"BTC-USDT","sz":"2"}`
 * @example template `{METHOD}{path}{query}{body}{timestamp}`, separator a line break, timestamp
 *   `s`, bodyHash `sha256`: `{"method": "GET", "path": "/v4/orders", "query": {"limit": 50},
 *   "timestamp": "2023-11-14T22:13:20Z"}` signs the 99 bytes
 *   `GET⏎/v4/orders⏎limit=50⏎…⏎1700000000`, ⏎ as 0A and … as the SHA-256 of no byte, in hex
 * @throws Error for a missing fixed value, which a validated configuration rules out
 */
export const prehash: RuleModule<typeof schema> = {
  schema,
  fitsFormats: true,
  templates: ({ template }) => [template],
  members: () => [],
  encodedWhenSent: ({ query, body }) => [
    ...(query?.encode === 'none' ? ['query' as const] : []),
    ...(body === 'form-sorted-unencoded' ? ['body' as const] : []),
  ],
  ownValues: ({ values }) => values,
  takesPassphrase: ({ passphrase }) => passphrase === 'mac',
  build: (data, rule, context) => {
    const tokens = getTokens(rule);
    const parts: FilledParts = {};
    const filled = fillTemplate(tokens, rule, data, context, parts);
    checkPathForm(data, rule.path ?? {});
    checkQueryPlace(data, getQueryPlace(tokens, rule.query ?? {}));
    checkJoined(data, tokens);
    return textPayload(filled, withPassphrase(parts, rule, context));
  },
  fields: PART_FIELDS,
  reader: (rule) => readParts(toParts(getTokens(rule), rule)),
  issues: (rule) => findUnusedOptions(rule, OPTIONS, [rule.template], 'template'),
};

/** Adds the account's passphrase value, if the rule returns it and the account has it. */
function withPassphrase(parts: PayloadParts, { passphrase }: PrehashRule, { values }: PayloadContext): PayloadParts {
  const value = passphrase === undefined ? undefined : ownMember(values, PASSPHRASE_VALUE);
  return typeof value === 'string' ? { ...parts, values: { ...parts.values, [PASSPHRASE_VALUE]: value } } : parts;
}

/** The template's tokens with the rule's separator between adjacent placeholders. */
const getTokens = memoizeByObject(({ template, separator }: PrehashRule): readonly TemplateToken[] =>
  parseTemplate(template).flatMap((token, index, tokens): readonly TemplateToken[] => {
    const before = tokens[index - 1];
    const isSeparate = before === undefined || before.kind === 'text' || token.kind === 'text';
    if (separator === undefined || isSeparate || isNamed(token, '?query')) return [token];
    return [{ kind: 'text', text: separator }, token];
  }),
);

/**
 * A path is signed percent-encoded: it cannot hold a query that the platform signs decoded. Nor one
 * whose parameters are restricted, since only those in `data.query` are examined.
 */
function getQueryPlace(tokens: readonly TemplateToken[], { encode, parameters }: QueryStyle): QuerySource {
  if (tokens.some((token) => isNamed(token, 'query'))) return 'apart';
  if (!tokens.some((token) => isNamed(token, '?query'))) return 'path';
  return encode === 'none' || parameters !== undefined ? 'apart' : 'joined';
}

function isNamed(token: TemplateToken, name: 'query' | '?query'): boolean {
  return token.kind === 'request' && token.name === name;
}
