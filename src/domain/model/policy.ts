import type { AccountProfile } from './account.ts';
import type { Decimal, Payload, PayloadRule, SignedContent } from './payload.ts';
import type { Platform } from './platform.ts';

/** What a matching policy does; a matching `deny` wins. */
export const POLICY_EFFECTS = ['allow', 'deny'] as const;

/** See {@link POLICY_EFFECTS}. */
export type PolicyEffect = (typeof POLICY_EFFECTS)[number];

/** `audit`: only records what it would have denied. */
export const POLICY_MODES = ['enforce', 'audit'] as const;

/** See {@link POLICY_MODES}. */
export type PolicyMode = (typeof POLICY_MODES)[number];

/** Name of a policy: 1 to 64 lowercase letters, digits and `-`, a letter or digit first. */
export const POLICY_NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** A policy as configured. */
export interface PolicyEntry {
  /** Unique. */
  readonly name: string;
  /** `platformId/accountId`, `*` in either. */
  readonly accounts: readonly string[];
  /** As in permissions; absent: all callers. */
  readonly principals?: readonly string[] | undefined;
  readonly effect: PolicyEffect;
  /** A condition in CEL (https://cel.dev) over what is signed. */
  readonly when: string;
  /** Absent: `enforce`. */
  readonly mode?: PolicyMode | undefined;
}

/** A budget as configured: what each of its accounts may sign within a window. */
export interface BudgetEntry {
  /** Unique among budgets and policies; see {@link POLICY_NAME_PATTERN}. */
  readonly name: string;
  /** `platformId/accountId`, `*` in either. Each account has the whole budget. */
  readonly accounts: readonly string[];
  /** What a request takes: a decimal or whole number in CEL over what is signed. */
  readonly sum: string;
  /** A decimal above zero, of at most 13 significant digits. */
  readonly max: string | number;
  /** An integer. */
  readonly windowSeconds: number;
}

/** Charge of a request to one budget. */
export interface BudgetAmount {
  readonly budget: BudgetEntry;
  /** Zero or more; null if it cannot be decided or is negative, which refuses the request. */
  readonly amount: Decimal | null;
  /** Why there is no amount; null if there is one. May have values of the request. */
  readonly error: string | null;
}

/** What a policy decided, by names and without values of the request. */
export interface PolicyDecision {
  readonly isAllowed: boolean;
  /** Effect of the deciding policies; null where no enforced policy decides. */
  readonly effect: PolicyEffect | null;
  /** The matching `deny` or `allow`; if no `allow` matches, all that name the account. */
  readonly policies: readonly string[];
  /** Policies in audit mode that would have denied an allowed request. */
  readonly wouldDeny: readonly string[];
  /** Charges of an allowed request to the account's budgets; absent: the account has none. */
  readonly amounts?: readonly BudgetAmount[];
}

/** The decision on an account without policies. */
export const NO_POLICY_APPLIES: PolicyDecision = { isAllowed: true, effect: null, policies: [], wouldDeny: [] };

/** What a policy may read of one request. */
export interface PolicyFacts {
  readonly signed: SignedContent;
  /** `anonymous` for an unauthenticated caller. */
  readonly principal: string;
  readonly platform: string;
  /** Name of the platform's rule, `default` for the one without a name. */
  readonly rule: string;
  readonly account: string;
  readonly environment: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/** What a compiled expression reads. */
export interface Expression {
  /** The fields of `signed` that it reads. */
  readonly fields: readonly string[];
  /** The names of members, and all texts, in it. */
  readonly names: readonly string[];
}

/** A condition ready to evaluate. */
export interface Condition extends Expression {
  /**
   * Whether the condition is true.
   * @throws Error if it cannot be decided, such as for a field that the request does not have; the
   *   message is for operators and may have values of the request
   */
  matches(facts: PolicyFacts): boolean;
}

/** The sum of a budget, ready to evaluate. */
export interface Amount extends Expression {
  /**
   * What the request takes, exact; it may be negative.
   * @throws Error as {@link Condition.matches} does
   */
  compute(facts: PolicyFacts): Decimal;
}

/** One policy's part in a decision, for operators. */
export interface PolicyResult extends Pick<PolicyEntry, 'name' | 'effect'> {
  readonly isEnforced: boolean;
  /** Whether it is about this caller. */
  readonly isForCaller: boolean;
  /** As it counts: a condition that cannot be decided matches for `deny`, not for `allow`. */
  readonly matches: boolean;
  /** Why the condition cannot be decided; null if it can. May have values of the request. */
  readonly error: string | null;
}

/** A request whose payload is made. */
export interface JudgedRequest {
  readonly platform: Platform;
  readonly account: Pick<AccountProfile, 'accountId' | 'environment'>;
  /** The rule that made the payload. */
  readonly rule: PayloadRule;
  /** Its name among the platform's rules; absent: the default rule. */
  readonly ruleName?: string | undefined;
  readonly payload: Payload;
  /** Null for an unauthenticated caller. */
  readonly principal: string | null;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/** A decision with what led to it. */
export interface PolicyExplanation {
  /** The fields that policies can read of the request. */
  readonly signed: SignedContent;
  /** Of all policies that name the account, in their order. */
  readonly results: readonly PolicyResult[];
  readonly decision: PolicyDecision;
  /** Charges to the account's budgets if it is allowed. */
  readonly amounts: readonly BudgetAmount[];
}

/** The policies and budgets of one generation of the configuration. */
export interface Policies {
  /** As configured, in their order. */
  readonly entries: readonly PolicyEntry[];
  /** As configured, in their order. */
  readonly budgets: readonly BudgetEntry[];

  /**
   * Decides on a request: a matching `deny` wins; an account that any `allow` names needs one that
   * matches; a condition that cannot be decided counts against the request. An allowed request
   * comes with its charges to the account's budgets.
   */
  decide(request: JudgedRequest): PolicyDecision;

  explain(request: JudgedRequest): PolicyExplanation;
}

/** A configuration without policies. */
export const NO_POLICIES: Policies = {
  entries: [],
  budgets: [],
  decide: () => NO_POLICY_APPLIES,
  explain: () => ({ signed: {}, results: [], decision: NO_POLICY_APPLIES, amounts: [] }),
};
