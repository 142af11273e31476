import type { AccountProfile } from '../model/account.ts';
import type { Issue } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Payload, PayloadRule } from '../model/payload.ts';
import type { NamedRule, Platform } from '../model/platform.ts';
import { type Outcome, refused } from '../model/refusal.ts';
import { findFormatIssues } from './data-formats.ts';
import { findJsonIssue } from './json-text.ts';
import { type PayloadContext, type PayloadTools, toOutcome } from './payload-outcome.ts';
import { getRuleModule } from './payload-rules.ts';
import { findUnsignedPart } from './unsigned-fields.ts';

/**
 * Builds the bytes to sign from `data` by a platform's payload rule, or names the offending field.
 * Data that {@link findJsonIssue} or {@link findUnsignedPart} rejects is rejected under every rule.
 *
 * @throws Error for an unknown rule or a missing fixed value, which a validated configuration rules
 *   out
 */
export function buildPayload(data: JsonObject, rule: PayloadRule, context: PayloadContext): Outcome<Payload, Issue> {
  const issue = findJsonIssue(data) ?? findUnsignedPart(data, rule);
  return issue === undefined ? toOutcome(() => getRuleModule(rule).build(data, rule, context)) : refused(issue);
}

/**
 * The bytes that an account signs for the data of a request, or what does not fit its rule.
 * @throws Error if a rule throws
 */
export function tryToMakePayload(
  platform: Platform,
  { values = {}, algorithm }: Pick<AccountProfile, 'values' | 'algorithm'>,
  data: JsonObject,
  { hasher, starknet }: PayloadTools,
  rule: NamedRule,
): Outcome<Payload, readonly Issue[]> {
  const issues = rule === platform.payload ? findFormatIssues(platform.format, data) : [];
  if (issues.length > 0) return refused(issues);
  const built = buildPayload(data, rule, {
    ...{ hasher, starknet, values },
    algorithm: rule.algorithm ?? algorithm,
  });
  return built.ok ? built : refused([built.refusal]);
}
