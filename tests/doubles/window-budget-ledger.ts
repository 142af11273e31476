import { BudgetWindow } from '../../src/adapters/limits/budget-window.ts';
import type { BudgetDemand } from '../../src/domain/model/attempt.ts';
import type { BudgetCharge, BudgetCheck, BudgetLedger } from '../../src/ports/budget-ledger.ts';
import type { WallClock } from '../../src/ports/clock.ts';

/** A BudgetLedger without a file. */
export class WindowBudgetLedger implements BudgetLedger {
  /** While true, nothing can be charged. */
  isAway = false;
  /** Called before each charge. */
  onCharge: () => void | Promise<void> = () => undefined;
  /** Demands that were charged or checked, in order. */
  readonly asked: BudgetDemand[] = [];
  readonly #clock: WallClock;
  readonly #windows = new Map<string, BudgetWindow>();

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  async charge(demands: readonly BudgetDemand[]): Promise<BudgetCharge> {
    await this.onCharge();
    const checked = this.#check(demands);
    if (checked.outcome !== 'within') return checked;
    const now = this.#clock.now();
    const charged = demands.map((demand) => {
      const window = this.#windows.get(demand.key) as BudgetWindow;
      return { window, demand, endsAt: window.charge(demand, now) };
    });
    return {
      outcome: 'charged',
      refund: async () => {
        for (const { window, demand, endsAt } of charged) window.refund(demand, endsAt);
      },
    };
  }

  async check(demands: readonly BudgetDemand[]): Promise<BudgetCheck> {
    return this.#check(demands);
  }

  async close(): Promise<void> {
    this.isAway = true;
  }

  #check(demands: readonly BudgetDemand[]): BudgetCheck {
    this.asked.push(...demands);
    if (this.isAway) return { outcome: 'unavailable' };
    const exceeded = demands.flatMap((demand, index) => {
      const window = this.#windows.get(demand.key) ?? new BudgetWindow();
      this.#windows.set(demand.key, window);
      return window.fits(demand, this.#clock.now()) ? [] : [index];
    });
    return exceeded.length > 0 ? { outcome: 'exceeded', exceeded } : { outcome: 'within' };
  }
}
