import type { z } from 'zod';
import { type Algorithm, BOUND_ALGORITHMS } from '../model/algorithm.ts';
import { PASSPHRASE_VALUE, type PayloadRule } from '../model/payload.ts';
import type { RuleModule } from './rule-module.ts';
import { backpack } from './rules/backpack.ts';
import { concatSorted } from './rules/concat-sorted.ts';
import { cosmosSignDoc } from './rules/cosmos-sign-doc.ts';
import { hyperliquidL1 } from './rules/hyperliquid-l1.ts';
import { hyperliquidMultiSig } from './rules/hyperliquid-multi-sig.ts';
import { jcs } from './rules/jcs.ts';
import { json } from './rules/json.ts';
import { jwt } from './rules/jwt.ts';
import { kraken } from './rules/kraken.ts';
import { krakenChallenge } from './rules/kraken-challenge.ts';
import { krakenFutures } from './rules/kraken-futures.ts';
import { prehash } from './rules/prehash.ts';
import { query } from './rules/query.ts';
import { raw } from './rules/raw.ts';
import { starknetTypedData } from './rules/starknet-typed-data.ts';
import { typedData } from './rules/typed-data.ts';
import { parseTemplate } from './template.ts';

/** All payload rules. A rule is added here, and explained in docs/callers/payload-rules.md. */
export const RULES = [
  jcs,
  json,
  raw,
  query,
  prehash,
  kraken,
  backpack,
  typedData,
  hyperliquidL1,
  concatSorted,
  krakenFutures,
  krakenChallenge,
  starknetTypedData,
  hyperliquidMultiSig,
  cosmosSignDoc,
  jwt,
] as const;

/** A rule with the types of its options. */
export type KnownRule = z.output<(typeof RULES)[number]['schema']>;

/** The name of a payload rule. */
export type PayloadRuleName = KnownRule['rule'];

/** See {@link PayloadRuleName}. */
export const PAYLOAD_RULES: readonly PayloadRuleName[] = RULES.map(({ schema }) => schema.shape.rule.value);

const MODULES: ReadonlyMap<string, RuleModule> = new Map(
  RULES.map((module) => [module.schema.shape.rule.value, module as RuleModule]),
);

/**
 * What the service knows of a rule.
 *
 * @throws Error for an unknown name, which a validated configuration rules out
 */
export function getRuleModule({ rule }: Pick<PayloadRule, 'rule'>): RuleModule {
  const module = MODULES.get(rule);
  if (module === undefined) throw new Error(`There is no payload rule ${rule}.`);
  return module;
}

/** The only algorithms that may sign a rule's payload; undefined: all that no rule requires. */
export function getRuleAlgorithms(rule: PayloadRule): readonly Algorithm[] | undefined {
  const { algorithms, algorithmsOption } = getRuleModule(rule);
  return algorithmsOption === undefined || rule[algorithmsOption] !== undefined ? algorithms : undefined;
}

/**
 * The one algorithm that may sign a rule's payload: typed data, Cosmos transactions and other
 * messages exclude each other. Undefined for other rules.
 */
export function requiredAlgorithm(rule: PayloadRule): Algorithm | undefined {
  const algorithms = getRuleAlgorithms(rule) ?? [];
  return BOUND_ALGORITHMS.find((name) => algorithms.includes(name));
}

/** The rules whose payloads an algorithm may sign that no other rule allows, for messages. */
export function describeRulesOf(algorithm: Algorithm): string {
  const binding = [...MODULES].filter(([, module]) => module.algorithms?.includes(algorithm));
  const always = binding.flatMap(([name, module]) => (module.algorithmsOption === undefined ? [name] : []));
  const withOption = binding.flatMap(([name, { algorithmsOption: option }]) =>
    option === undefined ? [] : [`rule ${name} with ${option}`],
  );
  return [`rule ${always.join(' or ')}`, ...withOption].join(', or ');
}

/** Templates of a rule, valid ones. */
export function getTemplates(rule: PayloadRule): readonly string[] {
  return getRuleModule(rule).templates?.(rule) ?? [];
}

/**
 * Names of the fixed values that a rule takes, unique, in order, and of the passphrase that it
 * returns.
 *
 * @param rule with valid templates
 * @example referencedValues({ rule: 'prehash', template: '{timestamp}{account.apiKey}' }) //
 *   ['apiKey']
 */
export function referencedValues(rule: PayloadRule): readonly string[] {
  const names = namedValues(rule);
  return [...new Set(takesPassphrase(rule) ? [...names, PASSPHRASE_VALUE] : names)];
}

/** Whether requests of the rule carry the MAC of a passphrase. */
export function takesPassphrase(rule: PayloadRule): boolean {
  return getRuleModule(rule).takesPassphrase?.(rule) ?? false;
}

/**
 * {@link referencedValues} of the templates without a value in the rule: each account must have its
 * own.
 *
 * @param rule with valid templates
 * @example requiredValues({ rule: 'prehash', template: '{path}{account.key}', values: {} }) //
 *   ['key']
 */
export function requiredValues(rule: PayloadRule): readonly string[] {
  const ruleValues = getRuleModule(rule).ownValues?.(rule) ?? {};
  return namedValues(rule).filter((name) => !Object.hasOwn(ruleValues, name));
}

function namedValues(rule: PayloadRule): readonly string[] {
  const names = getTemplates(rule)
    .flatMap(parseTemplate)
    .flatMap((token) => (token.kind === 'account' ? [token.name] : []));
  return [...new Set([...(getRuleModule(rule).values ?? []), ...names])];
}
