import { z } from 'zod';
import { ALGORITHM_ROWS, type Algorithm, JWT_ALGORITHMS } from '../../model/algorithm.ts';
import { recordSchema } from '../../model/configured-account.ts';
import { isJsonObject, type JsonObject, jsonPath, ownMember, withoutUndefined } from '../../model/json.ts';
import type { SignedContent, SignedFields, SignedValue } from '../../model/payload.ts';
import { decodeBase64, encodeBase64Url, encodeHex } from '../../model/text/byte-encodings.ts';
import { type FilledParts, fillTemplate } from '../fill-template.ts';
import { invalid, type PayloadContext, textPayload } from '../payload-outcome.ts';
import { checkQueryPlace, renderQuery } from '../request-parts.ts';
import { renderTimestamp } from '../request-timestamp.ts';
import type { RuleIssue, RuleModule } from '../rule-module.ts';
import { type QueryStyle, queryEncoding, templateSchema } from '../rule-options.ts';
import { decodeJson } from '../signed/decode-json.ts';
import { decodeParameters } from '../signed/decode-parameters.ts';
import { decodeUtf8 } from '../signed/read-text.ts';
import type { Spellings, WantedContent } from '../signed/signed-value.ts';
import { findTokenTemplateIssue, parseTemplate, type TemplateToken } from '../template.ts';

/** Header and claims; with its signature, a token is short enough for `POST /verify` and HTTP. */
const MAX_TEXT_LENGTH = 16_000;

const encoder = new TextEncoder();

const MAX_MEMBERS = 16;
const MAX_ELEMENTS = 8;
/** Seconds. */
const MAX_TOKEN_LIFETIME = 120;

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

const template = templateSchema(findTokenTemplateIssue).min(1, 'must have at least one character');

const list = z.array(template).min(1).max(MAX_ELEMENTS, `must have at most ${MAX_ELEMENTS} elements`);

const LIFETIME_MESSAGE = `must be a whole number of seconds, 1 to ${MAX_TOKEN_LIFETIME}`;

const time = z
  .strictObject({
    time: z.enum(['s', 'ms']).describe('s, ms: Unix time in seconds or milliseconds.'),
    expiresIn: z
      .int(LIFETIME_MESSAGE)
      .min(1, LIFETIME_MESSAGE)
      .max(MAX_TOKEN_LIFETIME, LIFETIME_MESSAGE)
      .exactOptional()
      .describe('Seconds after data.timestamp. Default: that time itself.'),
  })
  .describe('The time of data.timestamp, as a number.');

const schema = z.strictObject({
  rule: z.literal('jwt'),
  header: recordSchema(headerName, z.union([template, list]), MEMBER_NAME_MESSAGE)
    .refine((named) => Object.keys(named).length <= MAX_MEMBERS, `must have at most ${MAX_MEMBERS} members`)
    .meta({ maxProperties: MAX_MEMBERS })
    .exactOptional()
    .describe('Members of the header beside alg and typ: templates as in claims, or lists of templates.'),
  claims: recordSchema(memberName, z.union([template, list, time]), MEMBER_NAME_MESSAGE)
    .refine((named) => Object.keys(named).length <= MAX_MEMBERS, `must have at most ${MAX_MEMBERS} members`)
    .meta({ maxProperties: MAX_MEMBERS })
    .default({ jti: '{data.nonce}' })
    .describe(
      'Claims in their order: templates with {METHOD}, {method}, {path}, {data.NAME} and {account.NAME}, lists of templates, or times. Default: jti of {data.nonce}.',
    ),
  queryHash: z
    .strictObject({ encode: queryEncoding })
    .exactOptional()
    .describe('Adds the claims query_hash and query_hash_alg: SHA-512 of data.params as a query string.'),
});

/** A JSON Web Token (RFC 7519), signed as compact serialization (RFC 7515 §7.1). */
type JwtRule = z.output<typeof schema>;

type TokenTime = z.output<typeof time>;

const TOKEN_FIELDS: SignedFields = { header: 'map<string, dyn>', claims: 'map<string, dyn>' };

/**
 * Rule `jwt`: the JWS signing input of a JSON Web Token (RFC 7515 §5.1, RFC 7519), base64url of the
 * header, `.`, base64url of the claims. Both are compact JSON, with their members in this order:
 *
 * - header: `alg` by the account's algorithm, option `header`, `typ` with the value `JWT`
 * - claims: option `claims`, then the query hash
 *
 * The configuration names all members and writes their templates, filled as in rule `prehash` and
 * then written as JSON strings: no value of a request can add or change another member. A path has
 * no query. Times are numbers, computed from `data.timestamp`: a rule knows no clock, so that a
 * request always gives the same token, which `POST /verify` relies on.
 *
 * @example claims `{"sub": "{account.keyName}", "nbf": {"time": "s"}, "exp": {"time": "s",
 *   "expiresIn": 120}, "uri": "{METHOD} api.example.com{path}"}`: `{"method": "get", "path":
 *   "/v1/orders", "timestamp": 1700000000}` signs the claims
 *   `{"sub":"k1","nbf":1700000000,"exp":1700000120,"uri":"GET api.example.com/v1/orders"}`
 * @throws Error for an algorithm without tokens, or a missing fixed value, which a validated
 *   configuration rules out
 */
export const jwt: RuleModule<typeof schema> = {
  schema,
  algorithms: JWT_ALGORITHMS,
  templates: getTemplates,
  members: ({ claims, queryHash }) => [
    ...(hasTime(claims) ? ['timestamp'] : []),
    ...(queryHash === undefined ? [] : ['params']),
  ],
  encodedWhenSent: ({ queryHash }) => (queryHash?.encode === 'none' ? ['query'] : []),
  build: (data, rule, context) => {
    const { jws: alg } = ALGORITHM_ROWS[context.algorithm];
    if (alg === undefined) throw new Error(`${context.algorithm} signs no tokens.`);
    checkPath(data, rule);
    const parts: FilledParts = {};
    const header = fillMembers(rule.header ?? {}, data, context, parts);
    const claims = fillMembers(rule.claims, data, context, parts);
    const params = rule.queryHash === undefined ? '' : renderHashedParams(data, rule.queryHash);

    const text = [
      { alg, ...header, typ: 'JWT' },
      { ...claims, ...hashParams(params, context) },
    ]
      .map((members) => encodeBase64Url(encoder.encode(JSON.stringify(members))))
      .join('.');
    if (text.length > MAX_TEXT_LENGTH) {
      return invalid('data', `must not make a token of more than ${MAX_TEXT_LENGTH} characters without its signature`);
    }
    return textPayload(text, params === '' ? parts : { ...parts, query: params });
  },
  fields: { ...TOKEN_FIELDS, params: 'map<string, string>' },
  // `header` and `claims` from the signed bytes; `params` as they were hashed.
  reader: ({ queryHash }) => {
    if (queryHash === undefined) return { fields: TOKEN_FIELDS, read: ({ text }, wanted) => readToken(text, wanted) };
    const { encode = 'percent' } = queryHash;
    return {
      fields: jwt.fields,
      read: ({ text, parts: { query = '' } }, wanted) => {
        const token = readToken(text, wanted);
        if (!wanted.fields.has('params')) return token;
        return { ...token, ...withoutUndefined({ params: decodeParameters(query, encode, wanted.spellings) }) };
      },
    };
  },
  issues: (rule, algorithms) => [
    ...algorithmIssues(algorithms),
    ...encodingIssues(rule.encoding),
    ...queryClaimIssues(rule),
    ...constantIssues(rule),
  ],
};

function checkPath(data: JsonObject, { queryHash }: JwtRule): void {
  const path = ownMember(data, 'path');
  if (queryHash !== undefined) checkQueryPlace(data, 'apart', 'data.params');
  else if (typeof path === 'string' && path.includes('?')) {
    invalid('data.path', 'must not have a query (?…): the token does not contain it');
  }
}

function fillMembers(
  templates: JwtRule['claims'],
  data: JsonObject,
  context: PayloadContext,
  parts: FilledParts,
): object {
  const fill = (template: string) => fillText(parseTemplate(template), data, context, parts);
  const members = Object.entries(templates).map(([name, source]) => {
    if (typeof source === 'string') return [name, fill(source)];
    return [name, 'time' in source ? getTime(source, data, parts) : source.map(fill)];
  });
  return Object.fromEntries(members);
}

function fillText(
  tokens: readonly TemplateToken[],
  data: JsonObject,
  context: PayloadContext,
  parts: FilledParts,
): string {
  const text = fillTemplate(tokens, {}, data, context, parts);
  const first = tokens.find((token) => token.kind === 'data');
  if (text !== '' || first === undefined) return text;
  return invalid(jsonPath('data', [first.name]), 'must not be empty: its claim would have no content');
}

function getTime({ time, expiresIn = 0 }: TokenTime, data: JsonObject, parts: FilledParts): number {
  const rendered = renderTimestamp(data, time);
  parts.timestamp ??= rendered;
  return Number(rendered) + expiresIn * (time === 'ms' ? 1000 : 1);
}

function hashParams(text: string, { hasher }: PayloadContext): object {
  if (text === '') return {};
  return { query_hash: encodeHex(hasher.digest('sha512', encoder.encode(text))), query_hash_alg: 'SHA512' };
}

function getTemplates({ header = {}, claims }: JwtRule): readonly string[] {
  return [...Object.values(header), ...Object.values(claims)].flat().filter((value) => typeof value === 'string');
}

function hasTime(claims: JwtRule['claims']): boolean {
  return Object.values(claims).some((claim) => typeof claim === 'object' && 'time' in claim);
}

/** Claims that the rule itself adds. */
const QUERY_CLAIMS: readonly string[] = ['query_hash', 'query_hash_alg'];

function algorithmIssues(algorithms: readonly Algorithm[]): readonly RuleIssue[] {
  const others = algorithms.filter((name) => !JWT_ALGORITHMS.includes(name));
  if (others.length === 0) return [];
  const message = `cannot be jwt for ${others.join(', ')}: only ${JWT_ALGORITHMS.join(', ')} sign tokens; set algorithms to one of them`;
  return [{ path: ['rule'], message }];
}

function encodingIssues(encoding: string | undefined): readonly RuleIssue[] {
  if (encoding === undefined) return [];
  return [{ path: ['encoding'], message: 'has no effect on a token, whose parts are base64url; remove it' }];
}

function queryClaimIssues({ claims, queryHash }: JwtRule): readonly RuleIssue[] {
  if (queryHash === undefined) return [];
  return QUERY_CLAIMS.filter((name) => Object.hasOwn(claims, name)).map((name) => ({
    path: ['claims', name],
    message: 'must be absent: queryHash adds this claim',
  }));
}

/** A token without any part of the request is a password that never changes. */
function constantIssues(rule: JwtRule): readonly RuleIssue[] {
  const tokens = getTemplates(rule).flatMap(parseTemplate);
  if (hasTime(rule.claims) || tokens.some(({ kind }) => kind === 'request' || kind === 'data')) return [];
  return [{ path: [], message: 'must take a part of the request, such as the claim nonce of {data.nonce}, or a time' }];
}

function readToken(text: string, { fields, spellings }: WantedContent): SignedContent {
  const parts = text.split('.');
  const [header, claims] = Object.keys(TOKEN_FIELDS).map((name, index) =>
    fields.has(name) ? decodeTokenPart(parts[index] ?? '', spellings) : undefined,
  );
  return withoutUndefined({ header, claims });
}

function decodeTokenPart(base64Url: string, spellings: Spellings): SignedValue | undefined {
  const padding = '='.repeat((4 - (base64Url.length % 4)) % 4);
  const bytes = decodeBase64(base64Url.replaceAll('-', '+').replaceAll('_', '/') + padding);
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  return text === undefined ? undefined : decodeJson(text, spellings);
}

/**
 * Renders `data.params` as Upbit and Bithumb hash them: `name=value` joined by `&` in the order
 * sent, empty when absent. An array gives one pair for each element; its name ends with `[]`, which
 * stays as it is under percent-encoding.
 *
 * @see https://docs.upbit.com/kr/reference/auth
 * @example `{"market": "KRW-BTC", "states[]": ["wait", "watch"]}` gives
 *   `market=KRW-BTC&states[]=wait&states[]=watch`
 */
function renderHashedParams(data: JsonObject, style: Pick<QueryStyle, 'encode'>): string {
  const params = ownMember(data, 'params');
  if (params === undefined) return '';
  if (!isJsonObject(params)) return invalid('data.params', 'must be an object with the parameters, or absent');
  const misnamed = Object.keys(params).find((name) => Array.isArray(params[name]) && !name.endsWith('[]'));
  if (misnamed !== undefined) {
    return invalid(
      jsonPath('data', ['params', misnamed]),
      'must have a name that ends with [], because its value is an array',
    );
  }
  const query = renderQuery(['params'], params, style, { repeats: true });
  return style.encode === 'none' ? query : query.replaceAll('%5B%5D=', '[]=');
}
