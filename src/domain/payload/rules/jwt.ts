import type { JsonObject } from '../../model/json.ts';
import { getJwsName } from '../../model/jws-algorithm.ts';
import { memoizeByObject } from '../../model/memoize.ts';
import { accepted, type Outcome, refused } from '../../model/outcome.ts';
import type { Payload } from '../../model/payload.ts';
import type { JwtRule, TokenClaims, TokenTime } from '../../model/payload-rule.ts';
import type { Issue } from '../../model/refusal.ts';
import { encodeBase64Url, encodeHex } from '../../model/text/byte-encodings.ts';
import { jsonPath, ownMember } from '../../model/text/json-path.ts';
import { type FilledParts, fillTemplate } from '../fill-template.ts';
import { invalid, type PayloadContext, textPayload } from '../payload-outcome.ts';
import { renderHashedParams } from '../query-hash.ts';
import { findMisplacedQuery } from '../request-parts.ts';
import { renderTimestamp } from '../request-timestamp.ts';
import { findTokenTemplateIssue, parseTemplate, type TemplateToken } from '../template.ts';
import { findUnsignedPart } from '../unsigned-fields.ts';

/** A parsed template, a list of them, or a time. */
type Source = readonly TemplateToken[] | { readonly list: readonly (readonly TemplateToken[])[] } | TokenTime;

type Sources = readonly (readonly [name: string, source: Source])[];

type Value = string | number | readonly string[];

type Members = readonly (readonly [name: string, value: Value])[];

interface Prepared {
  readonly header: Sources;
  readonly claims: Sources;
}

const getPrepared = memoizeByObject(prepare);

/** Header and claims; with its signature, a token is short enough for `POST /verify` and HTTP. */
const MAX_TEXT_LENGTH = 16_000;

const encoder = new TextEncoder();

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
 * @throws Error for an invalid template, an algorithm without tokens, or a missing fixed value,
 *   which a validated configuration rules out
 */
export function jwtPayload(data: JsonObject, rule: JwtRule, context: PayloadContext): Outcome<Payload, Issue> {
  const alg = getJwsName(context.algorithm);
  if (alg === undefined) throw new Error(`${context.algorithm} signs no tokens.`);
  const prepared = getPrepared(rule);
  const issue = findUnsignedPart(data, rule) ?? findQueryInPath(data, rule);
  if (issue !== undefined) return refused(issue);
  const parts: FilledParts = {};
  const header = fillMembers(prepared.header, data, context, parts);
  if (!header.ok) return header;
  const claims = fillMembers(prepared.claims, data, context, parts);
  if (!claims.ok) return claims;
  const params = rule.queryHash === undefined ? accepted('') : renderHashedParams(data, rule.queryHash);
  if (!params.ok) return params;

  const hashed = params.value === '' ? [] : hashParams(params.value, context);
  const members = [
    [['alg', alg], ...header.value, ['typ', 'JWT']],
    [...claims.value, ...hashed],
  ] satisfies readonly Members[];
  const text = members.map(encodeMembers).join('.');
  if (text.length > MAX_TEXT_LENGTH) {
    return invalid('data', `must not make a token of more than ${MAX_TEXT_LENGTH} characters without its signature`);
  }
  return textPayload(text, params.value === '' ? parts : { ...parts, query: params.value });
}

function findQueryInPath(data: JsonObject, { queryHash }: JwtRule): Issue | undefined {
  if (queryHash !== undefined) return findMisplacedQuery(data, 'apart', 'data.params');
  const path = ownMember(data, 'path');
  if (typeof path !== 'string' || !path.includes('?')) return undefined;
  return { path: 'data.path', message: 'must not have a query (?…): the token does not contain it' };
}

function prepare({ header = {}, claims }: JwtRule): Prepared {
  return { header: prepareMembers(header), claims: prepareMembers(claims) };
}

function prepareMembers(members: TokenClaims): Sources {
  return Object.entries(members).map(([name, value]) => {
    if (typeof value === 'string') return [name, parseTokenTemplate(value)];
    return [name, 'time' in value ? value : { list: value.map(parseTokenTemplate) }];
  });
}

function parseTokenTemplate(template: string): readonly TemplateToken[] {
  const issue = findTokenTemplateIssue(template);
  if (issue !== undefined) throw new Error(`A template of the token ${issue.message}.`);
  return parseTemplate(template);
}

function fillMembers(
  sources: Sources,
  data: JsonObject,
  context: PayloadContext,
  parts: FilledParts,
): Outcome<Members, Issue> {
  const members: (readonly [string, Value])[] = [];
  for (const [name, source] of sources) {
    const value = fillMember(source, data, context, parts);
    if (!value.ok) return value;
    members.push([name, value.value]);
  }
  return accepted(members);
}

function fillMember(
  source: Source,
  data: JsonObject,
  context: PayloadContext,
  parts: FilledParts,
): Outcome<Value, Issue> {
  if ('time' in source) return getTime(source, data, parts);
  if (!('list' in source)) return fillText(source, data, context, parts);
  const texts: string[] = [];
  for (const tokens of source.list) {
    const text = fillText(tokens, data, context, parts);
    if (!text.ok) return text;
    texts.push(text.value);
  }
  return accepted(texts);
}

function fillText(
  tokens: readonly TemplateToken[],
  data: JsonObject,
  context: PayloadContext,
  parts: FilledParts,
): Outcome<string, Issue> {
  const filled = fillTemplate(tokens, {}, data, context, parts);
  if (!filled.ok) return filled;
  const [first] = tokens.flatMap((token) => (token.kind === 'data' ? [token.name] : []));
  if (filled.value !== '' || first === undefined) return accepted(filled.value);
  return invalid(jsonPath('data', [first]), 'must not be empty: its claim would have no content');
}

function getTime({ time, expiresIn = 0 }: TokenTime, data: JsonObject, parts: FilledParts): Outcome<number, Issue> {
  const rendered = renderTimestamp(data, time);
  if (!rendered.ok) return rendered;
  parts.timestamp ??= rendered.value;
  return accepted(Number(rendered.value) + expiresIn * (time === 'ms' ? 1000 : 1));
}

function hashParams(text: string, { hasher }: PayloadContext): Members {
  return [
    ['query_hash', encodeHex(hasher.digest('sha512', encoder.encode(text)))],
    ['query_hash_alg', 'SHA512'],
  ];
}

function encodeMembers(members: Members): string {
  return encodeBase64Url(encoder.encode(JSON.stringify(Object.fromEntries(members))));
}
