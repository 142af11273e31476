import type { Issue } from '../model/errors.ts';
import { type JsonObject, jsonPath } from '../model/json.ts';
import { memoizeByObject } from '../model/memoize.ts';
import type { PayloadRule } from '../model/payload.ts';
import { getRuleModule, getTemplates, referencedValues } from './payload-rules.ts';
import { parseTemplate, type TemplateToken } from './template.ts';

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

const findMembers = memoizeByObject((rule: PayloadRule): SignedMembers => {
  const own = getRuleModule(rule).members?.(rule) ?? null;
  const inTemplates = getTemplates(rule).flatMap(parseTemplate).flatMap(toMembers);
  return { signed: own === null ? null : [...own, ...inTemplates], fixed: referencedValues(rule) };
});

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
 * @example findUnsignedPart({ path: '/a', Body: {} }, rule) // data.Body, if it signs {path}{body}
 */
export function findUnsignedPart(data: JsonObject, rule: PayloadRule): Issue | undefined {
  const { signed, fixed } = findMembers(rule);
  if (signed === null || getRuleModule(rule).ignoresOthers) return undefined;
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
