import type { BudgetCheck, BudgetDemand, BudgetLedger } from '../../ports/budget-ledger.ts';
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

/** A budget and the charge of a request to it. */
interface Demand {
  readonly budget: BudgetEntry;
  readonly demand: BudgetDemand;
}

const NOTHING_TO_REFUND = async () => undefined;

/**
 * What one attempt to sign has charged. A reload before the signature can change the amounts; they
 * replace what was charged, so that nothing is charged twice.
 */
export class AccountCharge {
  readonly #ledger: BudgetLedger;
  #demands: readonly Demand[] = [];
  #refund: () => Promise<void> = NOTHING_TO_REFUND;

  constructor(ledger: BudgetLedger) {
    this.#ledger = ledger;
  }

  /** Whether exactly these amounts are charged. */
  covers(account: Account, amounts: readonly BudgetAmount[]): boolean {
    const demands = toDemands(account, amounts, null);
    return !('refusal' in demands) && toText(demands) === toText(this.#demands);
  }

  /**
   * Charges all amounts or none, after a refund of those charged before.
   * @param principal the caller, for the refusal; null for an unauthenticated one
   * @returns null once they are charged
   */
  async update(
    account: Account,
    amounts: readonly BudgetAmount[],
    principal: string | null,
  ): Promise<BudgetRefusal | null> {
    await this.refund();
    const demands = toDemands(account, amounts, principal);
    if ('refusal' in demands) return demands;
    if (demands.length === 0) return null;
    const charge = await this.#ledger.charge(demands.map(({ demand }) => demand));
    if (charge.outcome !== 'charged') return toRefusal(account, demands, charge, principal);
    this.#demands = demands;
    this.#refund = () => charge.refund();
    return null;
  }

  /** Refunds what is charged, if nothing is released. Never rejects. */
  async refund(): Promise<void> {
    const refund = this.#refund;
    this.#demands = [];
    this.#refund = NOTHING_TO_REFUND;
    await refund();
  }
}

/** Why {@link AccountCharge.update} would refuse these amounts now; null if it would charge them. */
export async function checkBudgets(
  ledger: BudgetLedger,
  account: Account,
  amounts: readonly BudgetAmount[],
  principal: string | null,
): Promise<BudgetRefusal | null> {
  const demands = toDemands(account, amounts, principal);
  if ('refusal' in demands) return demands;
  if (demands.length === 0) return null;
  const check = await ledger.check(demands.map(({ demand }) => demand));
  return check.outcome === 'within' ? null : toRefusal(account, demands, check, principal);
}

function toText(demands: readonly Demand[]): string {
  return JSON.stringify(demands.map(({ demand }) => demand));
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

function toRefusal(
  account: Account,
  demands: readonly Demand[],
  check: Exclude<BudgetCheck, { readonly outcome: 'within' }>,
  principal: string | null,
): BudgetRefusal {
  const { platformId, accountId } = account;
  if (check.outcome === 'unavailable') return { refusal: budgetUnavailable(platformId, accountId), budgets: [] };
  const budgets = demands.filter((_, index) => check.exceeded.includes(index)).map(({ budget }) => budget.name);
  return { refusal: budgetExceeded({ platformId, accountId, principal }, 'OVER_BUDGET', budgets), budgets };
}
