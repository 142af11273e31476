import { BUDGETS } from '../../src/adapters/limits/ledger-kind.ts';
import { type Counting, charge, type Part } from '../../src/adapters/limits/window.ts';
import type { Demand } from '../../src/domain/model/attempt.ts';
import type { WallClock } from '../../src/ports/clock.ts';
import type { Charged, WindowLedger } from '../../src/ports/window-ledger.ts';

/** A WindowLedger in memory that does what a test says, and records its calls. */
export class ScriptedWindowLedger implements WindowLedger {
  /** While true, nothing can be charged. */
  isAway = false;
  /** Called before each charge. */
  onCharge: () => void | Promise<void> = () => undefined;
  readonly calls: (readonly Demand[])[] = [];
  readonly #clock: WallClock;
  readonly #kind: Counting;
  readonly #charges = new Map<string, readonly Part[]>();

  constructor(clock: WallClock, kind = BUDGETS) {
    this.#clock = clock;
    this.#kind = kind;
  }

  async charge(demands: readonly Demand[]): Promise<Charged | null> {
    this.calls.push(demands);
    await this.onCharge();
    return this.isAway ? null : charge(this.#charges, demands, this.#kind, this.#clock.now());
  }
}
