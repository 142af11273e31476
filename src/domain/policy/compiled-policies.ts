import { ANONYMOUS } from '../model/authentication.ts';
import type { Payload, PayloadRule, SignedContent } from '../model/payload.ts';
import { AccountSelection } from '../model/permissions.ts';
import { DEFAULT_RULE_NAME } from '../model/platform.ts';
import {
  type Amount,
  type BudgetAmount,
  type BudgetEntry,
  type Condition,
  type JudgedRequest,
  NO_POLICY_APPLIES,
  type Policies,
  type PolicyDecision,
  type PolicyEntry,
  type PolicyExplanation,
  type PolicyFacts,
  type PolicyResult,
} from '../model/policy.ts';
import { WILDCARD, WildcardPattern } from '../model/text/wildcard-pattern.ts';
import { Spellings, type WantedContent } from '../payload/signed/signed-value.ts';
import { toUnits } from './budget-units.ts';
import { getSignedReader } from './signed-reader.ts';

/** A policy with its condition for each platform that its accounts may be of. */
export interface CompiledPolicy {
  readonly entry: PolicyEntry;
  /** By platformId. */
  readonly conditions: ReadonlyMap<string, Condition>;
}

/** A budget with its sum for each platform that its accounts may be of. */
export interface CompiledBudget {
  readonly entry: BudgetEntry;
  /** By platformId. */
  readonly sums: ReadonlyMap<string, Amount>;
}

/** A budget of one account. */
interface AccountBudget {
  readonly entry: BudgetEntry;
  readonly sum: Amount;
}

/** A policy on one account. */
interface AccountPolicy {
  readonly entry: PolicyEntry;
  readonly isEnforced: boolean;
  readonly condition: Condition;
  readonly isForCaller: (principal: string) => boolean;
}

/** The policies and budgets on one account, in their order. */
interface AccountPolicies {
  readonly all: readonly AccountPolicy[];
  readonly denies: readonly AccountPolicy[];
  readonly allows: readonly AccountPolicy[];
  readonly audited: readonly AccountPolicy[];
  readonly budgets: readonly AccountBudget[];
  /** Content that their expressions read. */
  readonly wanted: WantedContent;
}

/** Compiled policies and budgets, found by account. */
export class CompiledPolicies implements Policies {
  readonly #policies: readonly { readonly policy: CompiledPolicy; readonly accounts: AccountSelection }[];
  readonly #budgets: readonly { readonly budget: CompiledBudget; readonly accounts: AccountSelection }[];
  /** By platformId, then by accountId; accounts are as many as the configuration has. */
  readonly #byAccount = new Map<string, Map<string, AccountPolicies>>();

  constructor(policies: readonly CompiledPolicy[], budgets: readonly CompiledBudget[] = []) {
    this.#policies = policies.map((policy) => ({ policy, accounts: new AccountSelection(policy.entry.accounts) }));
    this.#budgets = budgets.map((budget) => ({ budget, accounts: new AccountSelection(budget.entry.accounts) }));
  }

  get entries(): readonly PolicyEntry[] {
    return this.#policies.map(({ policy }) => policy.entry);
  }

  get budgets(): readonly BudgetEntry[] {
    return this.#budgets.map(({ budget }) => budget.entry);
  }

  decide(request: JudgedRequest): PolicyDecision {
    const policies = this.#find(request);
    const { all, budgets, wanted } = policies;
    if (all.length === 0 && budgets.length === 0) return NO_POLICY_APPLIES;
    const facts = toFacts(request, wanted);
    const decision = decide(policies, (policy) => matches(policy, facts));
    return decision.isAllowed && budgets.length > 0 ? { ...decision, amounts: computeAll(budgets, facts) } : decision;
  }

  explain(request: JudgedRequest): PolicyExplanation {
    const policies = this.#find(request);
    const { fields } = getSignedReader(request.rule);
    const facts = toFacts(request, { ...policies.wanted, fields: new Set(Object.keys(fields)) });
    const results = new Map(policies.all.map((policy) => [policy, judge(policy, facts)]));
    const decision = decide(policies, (policy) => results.get(policy)?.matches === true);
    const amounts = computeAll(policies.budgets, facts);
    return { signed: facts.signed, results: [...results.values()], decision, amounts };
  }

  #find({ platform: { platformId }, account: { accountId } }: JudgedRequest): AccountPolicies {
    const accounts = this.#byAccount.get(platformId) ?? new Map<string, AccountPolicies>();
    const known = accounts.get(accountId);
    if (known !== undefined) return known;
    const found = this.#select(platformId, accountId);
    this.#byAccount.set(platformId, accounts.set(accountId, found));
    return found;
  }

  #select(platformId: string, accountId: string): AccountPolicies {
    const all = this.#policies.flatMap(({ policy: { entry, conditions }, accounts }): readonly AccountPolicy[] => {
      const condition = conditions.get(platformId);
      if (condition === undefined || !accounts.includes(platformId, accountId)) return [];
      return [{ entry, isEnforced: entry.mode !== 'audit', condition, isForCaller: matchPrincipals(entry) }];
    });
    const budgets = this.#budgets.flatMap(({ budget: { entry, sums }, accounts }): readonly AccountBudget[] => {
      const sum = sums.get(platformId);
      return sum !== undefined && accounts.includes(platformId, accountId) ? [{ entry, sum }] : [];
    });
    const expressions = [...all.map(({ condition }) => condition), ...budgets.map(({ sum }) => sum)];
    const enforced = all.filter(({ isEnforced }) => isEnforced);
    return {
      all,
      denies: enforced.filter(({ entry }) => entry.effect === 'deny'),
      allows: enforced.filter(({ entry }) => entry.effect === 'allow'),
      audited: all.filter(({ isEnforced }) => !isEnforced),
      budgets,
      wanted: {
        fields: new Set(expressions.flatMap(({ fields }) => fields)),
        spellings: new Spellings(expressions.flatMap(({ names }) => names)),
      },
    };
  }
}

/** `anonymous` matches unauthenticated callers, `*` never does, as in permissions. */
function matchPrincipals({ principals }: PolicyEntry): (principal: string) => boolean {
  if (principals === undefined) return () => true;
  const patterns = principals.filter((name) => name.includes(WILDCARD)).map((name) => new WildcardPattern(name));
  return (principal) =>
    principals.includes(principal) ||
    (principal !== ANONYMOUS && patterns.some((pattern) => pattern.matches(principal)));
}

function toFacts(
  { platform, account, rule, ruleName = DEFAULT_RULE_NAME, payload, principal, now }: JudgedRequest,
  wanted: WantedContent,
): PolicyFacts {
  return {
    signed: readSigned(rule, payload, wanted),
    principal: principal ?? ANONYMOUS,
    platform: platform.platformId,
    rule: ruleName,
    account: account.accountId,
    environment: account.environment,
    now,
  };
}

/** Unreadable parts have no field. */
function readSigned(rule: PayloadRule, payload: Payload, wanted: WantedContent): SignedContent {
  try {
    return getSignedReader(rule).read(payload, wanted);
  } catch {
    return {};
  }
}

/** An undecidable condition counts against the request. */
function matches({ entry, condition, isForCaller }: AccountPolicy, facts: PolicyFacts): boolean {
  if (!isForCaller(facts.principal)) return false;
  try {
    return condition.matches(facts);
  } catch {
    return entry.effect === 'deny';
  }
}

/** As {@link matches}, for operators. */
function judge(
  { entry: { name, effect }, isEnforced, condition, isForCaller }: AccountPolicy,
  facts: PolicyFacts,
): PolicyResult {
  const isAbout = isForCaller(facts.principal);
  const result = { name, effect, isEnforced, isForCaller: isAbout };
  if (!isAbout) return { ...result, matches: false, error: null };
  try {
    return { ...result, matches: condition.matches(facts), error: null };
  } catch (error) {
    return { ...result, matches: effect === 'deny', error: toReason(condition, facts, error) };
  }
}

function computeAll(budgets: readonly AccountBudget[], facts: PolicyFacts): readonly BudgetAmount[] {
  return budgets.map(({ entry, sum }) => compute(entry, sum, facts));
}

function compute(budget: BudgetEntry, sum: Amount, facts: PolicyFacts): BudgetAmount {
  try {
    const amount = sum.compute(facts);
    const isNegative = toUnits(amount.text, 0) === null;
    return isNegative ? { budget, amount: null, error: 'The sum is negative' } : { budget, amount, error: null };
  } catch (error) {
    return { budget, amount: null, error: toReason(sum, facts, error) };
  }
}

/** Of an error the first line: the others quote the expression. */
function toReason({ fields }: Condition | Amount, { signed }: PolicyFacts, error: unknown): string {
  const absent = fields.filter((field) => signed[field] === undefined);
  if (absent.length > 0) return `${absent.map((field) => `signed.${field}`).join(', ')} absent`;
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return reason;
}

function decide(
  { denies, allows, audited }: AccountPolicies,
  isMatch: (policy: AccountPolicy) => boolean,
): PolicyDecision {
  const denying = denies.find(isMatch);
  if (denying !== undefined) return { isAllowed: false, effect: 'deny', policies: namesOf([denying]), wouldDeny: [] };

  const allowing = allows.find(isMatch);
  if (allowing === undefined && allows.length > 0) {
    return { isAllowed: false, effect: 'allow', policies: namesOf(allows), wouldDeny: [] };
  }
  const wouldDeny = findAuditDenials(audited, allowing !== undefined, isMatch);
  if (allowing === undefined) return { ...NO_POLICY_APPLIES, wouldDeny };
  return { isAllowed: true, effect: 'allow', policies: namesOf([allowing]), wouldDeny };
}

function namesOf(policies: readonly AccountPolicy[]): readonly string[] {
  return policies.map(({ entry }) => entry.name);
}

/** The policies that would deny an allowed request if all were enforced. */
function findAuditDenials(
  audited: readonly AccountPolicy[],
  isAllowedByOther: boolean,
  isMatch: (policy: AccountPolicy) => boolean,
): readonly string[] {
  const denying = audited.filter((policy) => policy.entry.effect === 'deny' && isMatch(policy));
  const allows = audited.filter(({ entry }) => entry.effect === 'allow');
  const isMissingAllow = allows.length > 0 && !isAllowedByOther && !allows.some(isMatch);
  return namesOf(isMissingAllow ? [...denying, ...allows] : denying);
}
