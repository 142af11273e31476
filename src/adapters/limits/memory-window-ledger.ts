import type { Demand } from '../../domain/model/attempt.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Charged, WindowLedger } from '../../ports/window-ledger.ts';
import { RATES } from './ledger-kind.ts';
import { type Charges, charge, type Part } from './window.ts';

/** Some tens of megabytes, whether of many keys or of many parts. */
const MAX_WEIGHT = 800_000;

/** Weight of a key; a part weighs 1. */
const KEY_WEIGHT = 4;

/** Rates counted in memory. */
export class MemoryWindowLedger implements WindowLedger {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #charges: Charges;

  /** @param maxWeight beyond it, the keys that were charged least recently are forgotten */
  constructor(clock: Pick<Clock, 'monotonic'>, maxWeight = MAX_WEIGHT) {
    this.#clock = clock;
    this.#charges = new BoundedCharges(maxWeight / 2);
  }

  async charge(demands: readonly Demand[]): Promise<Charged> {
    return charge(this.#charges, demands, RATES, this.#clock.monotonic());
  }
}

/** Two generations: once the newer one is full, the older one is forgotten as a whole. */
class BoundedCharges implements Charges {
  readonly #maxWeight: number;
  #newer = new Map<string, readonly Part[]>();
  #older = new Map<string, readonly Part[]>();
  /** Of the newer one. */
  #weight = 0;

  /** @param maxWeight of a generation */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get(key: string): readonly Part[] | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: string, parts: readonly Part[]): void {
    if (this.#weight >= this.#maxWeight) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#weight = 0;
    }
    this.#weight += parts.length - (this.#newer.get(key)?.length ?? -KEY_WEIGHT);
    this.#newer.set(key, parts);
  }
}
