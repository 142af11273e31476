import type { JsonObject } from '../model/json.ts';
import type { PayloadOutcome } from '../model/payload.ts';
import type { PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import { jcsPayload } from './jcs-rule.ts';
import { prehashPayload } from './prehash.ts';
import { queryPayload } from './query.ts';
import { rawPayload } from './raw.ts';
import { findJsonIssue } from './signable-json.ts';

type RuleOf<Name extends PayloadRuleName> = Extract<PayloadRule, { readonly rule: Name }>;

type RuleTable = { readonly [Name in PayloadRuleName]: (data: JsonObject, rule: RuleOf<Name>) => PayloadOutcome };

/** Every payload rule by its name. */
const RULES: RuleTable = {
  jcs: jcsPayload,
  query: queryPayload,
  prehash: prehashPayload,
  raw: rawPayload,
};

/**
 * Makes the exact bytes to sign from `data` by a platform's payload rule, or says which field stands in the way. What `findJsonIssue`
 * refuses is refused here as well, under every rule, so that no caller of this function can forget it.
 *
 * @throws Error when the platform's rule itself is malformed, which a checked configuration never is
 */
export function buildPayload(data: JsonObject, rule: PayloadRule): PayloadOutcome {
  const issue = findJsonIssue(data);
  return issue === undefined ? apply(data, rule) : { ok: false, issue };
}

function apply<Name extends PayloadRuleName>(data: JsonObject, rule: RuleOf<Name>): PayloadOutcome {
  return RULES[rule.rule](data, rule);
}
