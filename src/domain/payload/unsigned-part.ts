import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import { jsonPath } from './json-path.ts';
import type { TemplateToken } from './template.ts';

/** Which members of `data` a rule signs, and which names are fixed values of the account. */
export interface SignedMembers {
  readonly signed: readonly string[];
  readonly fixed: readonly string[];
}

/** What callers mean to have signed when they send it. `method`, `path` and `endpoint` may also stand there to say what the request is. */
const PARTS: readonly string[] = ['timestamp', 'nonce', 'query', 'params', 'body', 'orders', 'instruction', 'window'];

/** The members that a template's placeholders take. */
export function membersOf(tokens: readonly TemplateToken[]): SignedMembers {
  return {
    signed: tokens.flatMap((token) => {
      if (token.kind === 'data') return [token.name];
      return token.kind === 'request' ? [token.name.replace('?', '').replace('METHOD', 'method')] : [];
    }),
    fixed: tokens.flatMap((token) => (token.kind === 'account' ? [token.name] : [])),
  };
}

/**
 * A member of `data` that a caller will take for signed although the rule does not sign it: a part of the request that the rule has no place for, a
 * name that is written in other letters, or one whose value is fixed in the configuration. Everything else may stand beside what is signed.
 *
 * @example findUnsignedPart({ path: '/a', Body: {} }, { signed: ['path', 'body'], fixed: [] }) // data.Body
 */
export function findUnsignedPart(data: JsonObject, { signed, fixed }: SignedMembers): Issue | undefined {
  for (const name of Object.keys(data)) {
    if (signed.includes(name)) continue;
    const message = faultOf(name.toLowerCase(), signed, fixed);
    if (message !== undefined) return { path: jsonPath('data', [name]), message };
  }
  return undefined;
}

function faultOf(lowerCase: string, signed: readonly string[], fixed: readonly string[]): string | undefined {
  const isSpelt = (name: string) => name.toLowerCase() === lowerCase;
  const meant = signed.find(isSpelt);
  if (meant !== undefined) return `is not signed; the rule of this platform signs data.${meant}`;
  if (fixed.some(isSpelt)) {
    return "must be absent: its value is fixed in the account's configuration, and no request can change it";
  }
  return PARTS.includes(lowerCase) ? 'must be absent: the rule of this platform does not sign it' : undefined;
}
