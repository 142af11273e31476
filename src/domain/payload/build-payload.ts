import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import { backpackPayload } from './backpack.ts';
import { hyperliquidL1Payload } from './hyperliquid-l1.ts';
import { jcsPayload } from './jcs-rule.ts';
import { jsonPayload } from './json-rule.ts';
import { krakenPayload } from './kraken.ts';
import type { PayloadContext } from './payload-context.ts';
import { prehashPayload } from './prehash.ts';
import { queryPayload } from './query.ts';
import { rawPayload } from './raw.ts';
import { findJsonIssue } from './signable-json.ts';
import { typedDataPayload } from './typed-data.ts';

type RuleOf<Name extends PayloadRuleName> = Extract<PayloadRule, { readonly rule: Name }>;

type RuleTable = {
  readonly [Name in PayloadRuleName]: (
    data: JsonObject,
    rule: RuleOf<Name>,
    context: PayloadContext,
  ) => Outcome<Payload, Issue>;
};

/** Every payload rule by its name. */
const RULES: RuleTable = {
  jcs: jcsPayload,
  json: jsonPayload,
  raw: rawPayload,
  query: queryPayload,
  prehash: prehashPayload,
  kraken: krakenPayload,
  backpack: backpackPayload,
  'typed-data': typedDataPayload,
  'hyperliquid-l1': hyperliquidL1Payload,
};

/**
 * Makes the exact bytes to sign from `data` by a platform's payload rule, or says which field stands in the way. What `findJsonIssue`
 * refuses is refused here as well, under every rule, so that no caller of this function can forget it.
 *
 * @throws Error when the platform's rule itself is malformed, or a fixed value that it names is missing, which a checked configuration never is
 */
export function buildPayload(data: JsonObject, rule: PayloadRule, context: PayloadContext): Outcome<Payload, Issue> {
  const issue = findJsonIssue(data);
  return issue === undefined ? apply(data, rule, context) : refused(issue);
}

function apply<Name extends PayloadRuleName>(
  data: JsonObject,
  rule: RuleOf<Name>,
  context: PayloadContext,
): Outcome<Payload, Issue> {
  return RULES[rule.rule](data, rule, context);
}
