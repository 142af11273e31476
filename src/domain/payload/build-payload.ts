import type { JsonObject } from '../model/json.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import type { Issue } from '../model/refusal.ts';
import { findJsonIssue } from './json-text.ts';
import type { PayloadContext } from './payload-outcome.ts';
import { backpackPayload } from './rules/backpack.ts';
import { concatSortedPayload } from './rules/concat-sorted.ts';
import { cosmosSignDocPayload } from './rules/cosmos-sign-doc.ts';
import { hyperliquidL1Payload } from './rules/hyperliquid-l1.ts';
import { hyperliquidMultiSigPayload } from './rules/hyperliquid-multi-sig.ts';
import { jcsPayload } from './rules/jcs.ts';
import { jsonPayload } from './rules/json.ts';
import { jwtPayload } from './rules/jwt.ts';
import { krakenPayload } from './rules/kraken.ts';
import { krakenFuturesPayload } from './rules/kraken-futures.ts';
import { prehashPayload } from './rules/prehash.ts';
import { queryPayload } from './rules/query.ts';
import { rawPayload } from './rules/raw.ts';
import { starknetTypedDataPayload } from './rules/starknet-typed-data.ts';
import { typedDataPayload } from './rules/typed-data.ts';

type RuleOf<Name extends PayloadRuleName> = Extract<PayloadRule, { readonly rule: Name }>;

type RuleTable = {
  readonly [Name in PayloadRuleName]: (
    data: JsonObject,
    rule: RuleOf<Name>,
    context: PayloadContext,
  ) => Outcome<Payload, Issue>;
};

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
  'concat-sorted': concatSortedPayload,
  'kraken-futures': krakenFuturesPayload,
  'starknet-typed-data': starknetTypedDataPayload,
  'hyperliquid-multi-sig': hyperliquidMultiSigPayload,
  'cosmos-sign-doc': cosmosSignDocPayload,
  jwt: jwtPayload,
};

/**
 * Builds the bytes to sign from `data` by a platform's payload rule, or names the offending field.
 * Data that {@link findJsonIssue} rejects is rejected under every rule.
 *
 * @throws Error for an invalid rule or a missing fixed value, which a validated configuration rules
 *   out
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
