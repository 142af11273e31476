import type { JsonObject } from '../model/json.ts';
import { memoizeByObject } from '../model/memoize.ts';
import type { JwtRule, PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import type { Issue } from '../model/refusal.ts';
import { jsonPath } from '../model/text/json-path.ts';
import { getTemplates, parseTemplate, referencedValues, type TemplateToken } from './template.ts';

/** What a rule signs. */
interface SignedMembers {
  /** Members of `data`; null: all of it. */
  readonly signed: readonly string[] | null;
  /** Names of fixed values. */
  readonly fixed: readonly string[];
}

/**
 * Members that callers expect to be signed. `method`, `path` and `endpoint` may also just describe
 * the request.
 */
const PARTS: readonly string[] = ['timestamp', 'nonce', 'query', 'params', 'body', 'orders', 'instruction', 'window'];

/** A rule signs all of `data`, or has no other members. */
const ALL = () => null;

/** Members of `data` that a rule signs beside those in its templates; null: all of `data`. */
const OWN_MEMBERS: {
  readonly [Name in PayloadRuleName]: (rule: Extract<PayloadRule, { readonly rule: Name }>) => readonly string[] | null;
} = {
  jcs: ({ field }) => (field === undefined ? null : [field]),
  json: ({ field }) => (field === undefined ? null : [field]),
  raw: ALL,
  query: ({ field }) => [field],
  prehash: () => [],
  kraken: () => ['path', 'body', 'nonce'],
  'kraken-futures': () => ['path', 'query', 'body', 'nonce'],
  'concat-sorted': () => ['method', 'id', 'params', 'nonce'],
  backpack: () => ['instruction', 'params', 'orders', 'timestamp', 'window'],
  jwt: getTokenMembers,
  'typed-data': ALL,
  'starknet-typed-data': ALL,
  'hyperliquid-l1': ALL,
  'hyperliquid-multi-sig': ALL,
  'cosmos-sign-doc': ALL,
};

function getTokenMembers({ claims, queryHash }: JwtRule): readonly string[] {
  const hasTime = Object.values(claims).some((claim) => typeof claim === 'object' && 'time' in claim);
  return [...(hasTime ? ['timestamp'] : []), ...(queryHash === undefined ? [] : ['params'])];
}

const findMembers = memoizeByObject(
  <Name extends PayloadRuleName>(rule: Extract<PayloadRule, { readonly rule: Name }>): SignedMembers => {
    const own = OWN_MEMBERS[rule.rule](rule);
    const inTemplates = getTemplates(rule).flatMap(parseTemplate).flatMap(toMembers);
    return { signed: own === null ? null : [...own, ...inTemplates], fixed: referencedValues(rule) };
  },
);

function toMembers(token: TemplateToken): readonly string[] {
  if (token.kind === 'data') return [token.name];
  return token.kind === 'request' ? [token.name.replace('?', '').replace('METHOD', 'method')] : [];
}

/** The members of `data` that a rule signs; null: all of them. */
export function getSignedMembers(rule: PayloadRule): readonly string[] | null {
  return findMembers(rule).signed;
}

/**
 * A member of `data` that the caller may expect to be signed although it is not: a part of the
 * request that the rule does not use, a name spelt otherwise, or a value that the
 * configuration fixes. Other members are allowed.
 *
 * @example findUnsignedPart({ path: '/a', Body: {} }, rule) // data.Body, of a rule with {path}{body}
 */
export function findUnsignedPart(data: JsonObject, rule: PayloadRule): Issue | undefined {
  const { signed, fixed } = findMembers(rule);
  if (signed === null) return undefined;
  for (const name of Object.keys(data)) {
    if (signed.includes(name)) continue;
    const message = findIssue(fold(name), signed, fixed);
    if (message !== undefined) return { path: jsonPath('data', [name]), message };
  }
  return undefined;
}

function findIssue(folded: string, signed: readonly string[], fixed: readonly string[]): string | undefined {
  const isSameName = (name: string) => fold(name) === folded;
  const signedName = signed.find(isSameName);
  if (signedName !== undefined) return `is not signed; the rule of this platform signs data.${signedName}`;
  if (fixed.some(isSameName)) {
    return "must be absent: its value is fixed in the account's configuration";
  }
  return PARTS.includes(folded) ? 'must be absent: the rule of this platform does not sign it' : undefined;
}

/** `apiKey` and `api_key` mean the same. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
