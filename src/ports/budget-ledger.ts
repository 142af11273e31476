import type { BudgetDemand } from '../domain/model/attempt.ts';

/** Result of {@link BudgetLedger.check}. */
export type BudgetCheck =
  | { readonly outcome: 'within' }
  /** The demands that do not fit, by index. */
  | { readonly outcome: 'exceeded'; readonly exceeded: readonly number[] }
  /** The ledger could not be read or written. */
  | { readonly outcome: 'unavailable' };

/** Result of {@link BudgetLedger.charge}. */
export type BudgetCharge =
  | Exclude<BudgetCheck, { readonly outcome: 'within' }>
  | {
      readonly outcome: 'charged';
      /** Refunds all of it, once. Never rejects: what cannot be refunded stays charged. */
      refund(): Promise<void>;
    };

/** Parts of a window: a charge counts for the window, and at most this part of it longer. */
export const BUCKETS_PER_WINDOW = 60;

/**
 * What was charged to the budgets of accounts.
 *
 * An adapter MUST count each charge for at least the window, and no more than a
 * {@link BUCKETS_PER_WINDOW}th of it longer. It MUST charge all demands of a call or none, and
 * nothing beyond a maximum. It MUST keep what was charged when a maximum, and with it the unit,
 * changes. It MUST NOT reject: where it cannot tell what was charged, the charge is `unavailable`,
 * and whatever it may have counted stays counted. After a crash it MUST NOT have forgotten a charge
 * that it reported.
 */
export interface BudgetLedger {
  /** Keys are unique within a call. */
  charge(demands: readonly BudgetDemand[]): Promise<BudgetCharge>;

  /** What {@link charge} would come to now. */
  check(demands: readonly BudgetDemand[]): Promise<BudgetCheck>;

  /** Keeps all charges for the next start; later ones are unavailable. Never rejects. */
  close(): Promise<void>;
}
