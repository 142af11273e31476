import type { Algorithm } from '../model/algorithm.ts';
import { JWT_ALGORITHMS } from '../model/jws-algorithm.ts';
import type { JwtRule } from '../model/payload-rule.ts';
import type { NamedRule } from '../model/platform.ts';
import { listTokenTemplates, parseTemplate } from '../payload/template.ts';
import type { CredentialIssue, IssuePath } from './credential-issue.ts';

/** Claims that the rule itself adds. */
const QUERY_CLAIMS: readonly string[] = ['query_hash', 'query_hash_alg'];

/**
 * Conflicts of a `jwt` rule with its options and with the platform's algorithms. None for other
 * rules.
 * @param root path of the rule
 */
export function jwtIssues(
  root: IssuePath,
  algorithms: readonly Algorithm[],
  rule: NamedRule,
): readonly CredentialIssue[] {
  if (rule.rule !== 'jwt') return [];
  return [
    ...algorithmIssues(root, algorithms),
    ...encodingIssues(root, rule),
    ...queryClaimIssues(root, rule),
    ...constantIssues(root, rule),
  ];
}

function algorithmIssues(root: IssuePath, algorithms: readonly Algorithm[]): readonly CredentialIssue[] {
  const others = algorithms.filter((name) => !JWT_ALGORITHMS.includes(name));
  if (others.length === 0) return [];
  const message = `cannot be jwt for ${others.join(', ')}: only ${JWT_ALGORITHMS.join(', ')} sign tokens; set algorithms to one of them`;
  return [{ path: [...root, 'rule'], message }];
}

function encodingIssues(root: IssuePath, { encoding }: NamedRule): readonly CredentialIssue[] {
  if (encoding === undefined) return [];
  return [{ path: [...root, 'encoding'], message: 'has no effect on a token, whose parts are base64url; remove it' }];
}

function queryClaimIssues(root: IssuePath, { claims, queryHash }: JwtRule): readonly CredentialIssue[] {
  if (queryHash === undefined) return [];
  return QUERY_CLAIMS.filter((name) => Object.hasOwn(claims, name)).map((name) => ({
    path: [...root, 'claims', name],
    message: 'must be absent: queryHash adds this claim',
  }));
}

/** A token without any part of the request is a password that never changes. */
function constantIssues(root: IssuePath, rule: JwtRule): readonly CredentialIssue[] {
  const hasTime = Object.values(rule.claims).some((claim) => typeof claim === 'object' && 'time' in claim);
  const tokens = listTokenTemplates(rule).flatMap(parseTemplate);
  if (hasTime || tokens.some(({ kind }) => kind === 'request' || kind === 'data')) return [];
  return [
    { path: root, message: 'must take a part of the request, such as the claim nonce of {data.nonce}, or a time' },
  ];
}
