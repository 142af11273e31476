import type { BudgetDemand, BudgetLedger } from '../../ports/budget-ledger.ts';
import { type Account, toAccountName } from '../model/account.ts';
import type { BudgetAmount, BudgetEntry } from '../model/policy.ts';
import { budgetExceeded, budgetUnavailable, type Refusal } from '../model/refusal.ts';
import { MAX_UNITS, toBudgetUnits, toUnits } from '../policy/budget-units.ts';

/** Why budgets refuse a request. */
export interface BudgetRefusal {
  readonly refusal: Refusal;
  /** The names of those that refuse it; none if they could not be asked. */
  readonly budgets: readonly string[];
}

/** A charge of a request's amounts, or why there is none. */
export type AccountCharge =
  | ({ readonly isCharged: false } & BudgetRefusal)
  /** To refund if nothing is released; never rejects. */
  | { readonly isCharged: true; refund(): Promise<void> };

/** A budget and the charge of a request to it. */
interface Demand {
  readonly budget: BudgetEntry;
  readonly demand: BudgetDemand;
}

const NOTHING_CHARGED: AccountCharge = { isCharged: true, refund: async () => undefined };

/** Budgets of accounts. */
export class AccountBudgets {
  readonly #ledger: BudgetLedger;

  constructor(ledger: BudgetLedger) {
    this.#ledger = ledger;
  }

  /**
   * Charges all amounts or none.
   * @param principal the caller, for the refusal; null for an unauthenticated one
   */
  async charge(account: Account, amounts: readonly BudgetAmount[], principal: string | null): Promise<AccountCharge> {
    const demands = toDemands(account, amounts, principal);
    if ('refusal' in demands) return { isCharged: false, ...demands };
    if (demands.length === 0) return NOTHING_CHARGED;
    const charge = await this.#ledger.charge(demands.map(({ demand }) => demand));
    if (charge.outcome === 'charged') return { isCharged: true, refund: () => charge.refund() };
    const exceeded = charge.outcome === 'exceeded' ? charge.exceeded : null;
    return { isCharged: false, ...toRefusal(account, demands, exceeded, principal) };
  }

  /** Why {@link charge} would refuse now; null if it would charge. */
  async check(
    account: Account,
    amounts: readonly BudgetAmount[],
    principal: string | null,
  ): Promise<BudgetRefusal | null> {
    const demands = toDemands(account, amounts, principal);
    if ('refusal' in demands) return demands;
    if (demands.length === 0) return null;
    const result = await this.#ledger.check(demands.map(({ demand }) => demand));
    if (result.outcome === 'within') return null;
    return toRefusal(account, demands, result.outcome === 'exceeded' ? result.exceeded : null, principal);
  }
}

/** Amounts of zero take nothing. An amount that cannot be decided refuses the request. */
function toDemands(
  account: Account,
  amounts: readonly BudgetAmount[],
  principal: string | null,
): readonly Demand[] | BudgetRefusal {
  const undecided = amounts.filter(({ amount }) => amount === null).map(({ budget }) => budget.name);
  if (undecided.length > 0) {
    const { platformId, accountId } = account;
    return {
      refusal: budgetExceeded({ platformId, accountId, principal }, 'AMOUNT_UNDECIDED', undecided),
      budgets: undecided,
    };
  }
  return amounts.flatMap(({ budget, amount }) => {
    const { maxUnits, exponent } = toBudgetUnits(budget.max);
    const units = toUnits(amount?.text ?? '', exponent) ?? MAX_UNITS;
    const { name, windowSeconds } = budget;
    const key = `${name}:${toAccountName(account)}`;
    return units === 0 ? [] : [{ budget, demand: { key, units, maxUnits, exponent, windowSeconds } }];
  });
}

/** @param exceeded indexes of the demands; null if the ledger is unavailable */
function toRefusal(
  account: Account,
  demands: readonly Demand[],
  exceeded: readonly number[] | null,
  principal: string | null,
): BudgetRefusal {
  const { platformId, accountId } = account;
  if (exceeded === null) return { refusal: budgetUnavailable(platformId, accountId), budgets: [] };
  const budgets = demands.filter((_, index) => exceeded.includes(index)).map(({ budget }) => budget.name);
  return { refusal: budgetExceeded({ platformId, accountId, principal }, 'OVER_BUDGET', budgets), budgets };
}
