import type { JsonObject } from '../model/json.ts';
import type { Issue } from '../model/refusal.ts';
import { jsonPath } from '../model/text/json-path.ts';
import type { TemplateToken } from './template.ts';

/** Members of `data` that a rule signs, and names of fixed values. */
export interface SignedMembers {
  readonly signed: readonly string[];
  readonly fixed: readonly string[];
}

/**
 * Members that callers expect to be signed. `method`, `path` and `endpoint` may also just describe
 * the request.
 */
const PARTS: readonly string[] = ['timestamp', 'nonce', 'query', 'params', 'body', 'orders', 'instruction', 'window'];

/** The members that a template's placeholders take. */
export function getSignedMembers(tokens: readonly TemplateToken[]): SignedMembers {
  return {
    signed: tokens.flatMap((token) => {
      if (token.kind === 'data') return [token.name];
      return token.kind === 'request' ? [token.name.replace('?', '').replace('METHOD', 'method')] : [];
    }),
    fixed: tokens.flatMap((token) => (token.kind === 'account' ? [token.name] : [])),
  };
}

/**
 * A member of `data` that the caller may expect to be signed although it is not: a part of the
 * request that the rule does not use, a name in other letter case, or a value that the
 * configuration fixes. Other members are allowed.
 *
 * @example findUnsignedPart({ path: '/a', Body: {} }, { signed: ['path', 'body'], fixed: [] }) //
 *   data.Body
 */
export function findUnsignedPart(data: JsonObject, { signed, fixed }: SignedMembers): Issue | undefined {
  for (const name of Object.keys(data)) {
    if (signed.includes(name)) continue;
    const message = findIssue(name.toLowerCase(), signed, fixed);
    if (message !== undefined) return { path: jsonPath('data', [name]), message };
  }
  return undefined;
}

function findIssue(lowerCase: string, signed: readonly string[], fixed: readonly string[]): string | undefined {
  const isSameName = (name: string) => name.toLowerCase() === lowerCase;
  const signedName = signed.find(isSameName);
  if (signedName !== undefined) return `is not signed; the rule of this platform signs data.${signedName}`;
  if (fixed.some(isSameName)) {
    return "must be absent: its value is fixed in the account's configuration";
  }
  return PARTS.includes(lowerCase) ? 'must be absent: the rule of this platform does not sign it' : undefined;
}
