import type { CredentialListing } from '../../ports/credential-editor.ts';
import { MAX_DEMANDS, type WindowLedger } from '../../ports/window-ledger.ts';
import { AccountSelection } from '../model/permissions.ts';
import { formatUnits } from '../policy/budget-units.ts';
import { toBudgetLimit } from './account-limits.ts';

/** What is left of a budget of one account. */
export interface BudgetLeft {
  readonly name: string;
  readonly platformId: string;
  readonly accountId: string;
  /** As configured. */
  readonly max: string;
  readonly windowSeconds: number;
  /** A decimal; null if the ledger is unavailable. */
  readonly left: string | null;
}

/** Reads what is left of each budget of each account, in the order of the lists; charges nothing. */
export async function readBudgets(
  { budgets, accounts }: Pick<CredentialListing, 'budgets' | 'accounts'>,
  ledger: WindowLedger,
): Promise<readonly BudgetLeft[]> {
  const all = budgets.flatMap((budget) => {
    const selection = new AccountSelection(budget.accounts);
    const covered = accounts.filter(({ platformId, accountId }) => selection.includes(platformId, accountId));
    return covered.map((account) => ({ budget, account, limit: toBudgetLimit(budget, account) }));
  });
  const report: BudgetLeft[] = [];
  for (let from = 0; from < all.length; from += MAX_DEMANDS) {
    const some = all.slice(from, from + MAX_DEMANDS);
    const charged = await ledger.charge(some.map(({ limit }) => ({ ...limit, units: 0, minUnits: 1 })));
    for (const [index, { budget, account, limit }] of some.entries()) {
      const left = charged?.grants[index]?.left();
      report.push({
        name: budget.name,
        platformId: account.platformId,
        accountId: account.accountId,
        max: String(budget.max),
        windowSeconds: budget.windowSeconds,
        left: left === undefined ? null : formatUnits(left, limit.exponent),
      });
    }
  }
  return report;
}
