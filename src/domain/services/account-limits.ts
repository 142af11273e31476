import { type Charged, MAX_DEMANDS, type RateLimiter, type WindowLedger } from '../../ports/window-ledger.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { type AccountIds, toAccountName } from '../model/account.ts';
import type { Attempt, CheckedAttempt, Demand } from '../model/attempt.ts';
import { ANONYMOUS } from '../model/authentication.ts';
import { type BudgetEntry, NO_POLICY_APPLIES } from '../model/policy.ts';
import { MAX_LISTED_NAMES, type Refusal, refuse, refused } from '../model/refusal.ts';
import { MAX_UNITS, toBudgetUnits, toUnits } from '../policy/budget-units.ts';

/**
 * What the attempt takes of its account's budgets. Amounts of zero take nothing. An amount that
 * cannot be decided refuses the request.
 */
export function priceAttempt(attempt: CheckedAttempt): Refusal | null {
  const { account, decision } = attempt;
  const { amounts = [] } = decision ?? NO_POLICY_APPLIES;
  if (amounts.length === 0) return null;
  const undecided = amounts.filter(({ amount }) => amount === null).map(({ budget }) => budget.name);
  if (undecided.length > 0) return exceeded(attempt, 'AMOUNT_UNDECIDED', undecided);
  attempt.demands = amounts.flatMap(({ budget, amount }) => {
    const limit = toBudgetLimit(budget, account);
    const units = toUnits(amount?.text ?? '', limit.exponent) ?? MAX_UNITS;
    return units === 0 ? [] : [{ ...limit, units, minUnits: units }];
  });
  return null;
}

/** The budget of an account, for demands of it. */
export function toBudgetLimit({ name, max, windowSeconds }: BudgetEntry, account: AccountIds) {
  return { key: `${name}:${toAccountName(account)}`, ...toBudgetUnits(max), windowSeconds };
}

/** Whether exactly its demands are charged. */
export function isCharged({ demands, charge }: Attempt): boolean {
  return charge === null ? demands.length === 0 : JSON.stringify(charge.demands) === JSON.stringify(demands);
}

/**
 * Charges the demands, all or none, after a refund of those charged before: a reload can have
 * changed the amounts. Ends the attempt if they cannot be charged.
 */
export async function chargeAttempt(attempt: Attempt, ledger: WindowLedger): Promise<void> {
  await refundAttempt(attempt);
  const { demands } = attempt;
  if (demands.length === 0) return;
  const charged = await ledger.charge(demands);
  const refusal = findRefusal(attempt, charged);
  if (refusal !== null) attempt.outcome = refused(refusal);
  else if (charged !== null) attempt.charge = { demands, refund: () => charged.refund() };
}

/** Denies a dry run whose demands could not be charged now. Ends it if the ledger is unavailable. */
export async function checkDemands(attempt: Attempt, ledger: WindowLedger): Promise<void> {
  const checked = await ledger.charge(attempt.demands.map((demand) => ({ ...demand, units: 0 })));
  const refusal = findRefusal(attempt, checked);
  if (refusal === null) return;
  if (checked === null) attempt.outcome = refused(refusal);
  else attempt.denial = refusal;
}

/** Refunds what is charged, if nothing is released. Never rejects. */
export async function refundAttempt(attempt: Attempt): Promise<void> {
  const { charge } = attempt;
  attempt.charge = null;
  await charge?.refund();
}

function findRefusal(attempt: Attempt, charged: Charged | null): Refusal | null {
  const { platformId, accountId } = attempt.request;
  if (charged === null) return refuse('BudgetUnavailable', { platformId, accountId });
  const names = attempt.demands.filter((_, index) => charged.grants[index]?.isRefused).map(getBudgetName);
  return names.length === 0 ? null : exceeded(attempt, 'OVER_BUDGET', names);
}

function exceeded(attempt: Attempt, reason: 'OVER_BUDGET' | 'AMOUNT_UNDECIDED', budgets: readonly string[]): Refusal {
  const { request, context } = attempt;
  const { platformId, accountId } = request;
  attempt.budgets = budgets;
  const access = { platformId, accountId, principal: context.principal ?? ANONYMOUS };
  return refuse('BudgetExceeded', { ...access, reason, budgets: budgets.slice(0, MAX_LISTED_NAMES) });
}

/** No name has a colon. */
function getBudgetName({ key }: Demand): string {
  return key.slice(0, key.indexOf(':'));
}

/**
 * Takes one signature of its account's rate limit for each attempt. If a limit is short, the first
 * attempts get it, and each other one a refusal with its own retry time.
 */
export async function takeRates(limiter: RateLimiter, attempts: readonly Attempt[], slice: TimeSlice): Promise<void> {
  const { points, windowSeconds, ledger } = limiter;
  const limit = { maxUnits: points, exponent: 0, windowSeconds };
  const byAccount = new Map<string, Attempt[]>();
  await slice.forEach(attempts, (attempt) => {
    const key = toAccountName(attempt.request);
    const others = byAccount.get(key);
    if (others === undefined) byAccount.set(key, [attempt]);
    else others.push(attempt);
  });
  const all = [...byAccount];
  for (let start = 0; start < all.length; start += MAX_DEMANDS) {
    const group = all.slice(start, start + MAX_DEMANDS);
    const charged = await ledger.charge(
      group.map(([key, { length: units }]) => ({ key, units, minUnits: 1, ...limit })),
    );
    for (const [index, { granted, retryAfterMs }] of (charged?.grants ?? []).entries()) {
      const sharing = group[index]?.[1] ?? [];
      for (const [nth, attempt] of sharing.slice(granted).entries()) {
        const { platformId, accountId } = attempt.request;
        const details = { platformId, accountId, retryAfterMs: retryAfterMs(nth + 1), limit: points, windowSeconds };
        attempt.rateRefusal = refuse('AccountRateLimited', details);
      }
    }
    await slice.yieldIfExpired();
  }
}
