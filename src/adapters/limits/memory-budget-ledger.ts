import type { BudgetDemand } from '../../domain/model/attempt.ts';
import type { BudgetCharge, BudgetCheck, BudgetLedger } from '../../ports/budget-ledger.ts';
import type { Ports } from '../../ports/ports.ts';
import { readBudgets, type StoredBudget, writeBudgets } from './budget-file.ts';
import { BudgetWindow } from './budget-window.ts';

/** Divisor: this part of a maximum is reserved in the file beyond what was charged. */
const RESERVED_PART = 50;

/** A budget of one account. */
interface Budget {
  readonly window: BudgetWindow;
  /** Of the latest demand. */
  latest: Pick<BudgetDemand, 'windowSeconds' | 'exponent' | 'maxUnits'>;
  /** Units of `latest.exponent` that can be charged before the file must be written again. */
  reserved: number;
}

/** A call that waits for its round. */
interface Task {
  readonly demands: readonly BudgetDemand[];
  readonly isCheck: boolean;
  readonly resolve: (result: BudgetCharge | BudgetCheck) => void;
}

interface MemoryBudgetLedgerOptions extends Pick<Ports, 'clock' | 'log'> {
  /** Written by this process alone: its folder's audit file is locked. */
  readonly file: string;
}

const CHARGING = { topic: 'budgets' };

const UNAVAILABLE = { outcome: 'unavailable' } as const;

/**
 * The BudgetLedger of one process. Charges are counted in memory; the file has them all, and ahead
 * of them a reserved part of each maximum, so that few charges wait for the disk. After a crash the
 * reserved part counts as charged. Calls that wait for one write share the next.
 */
export class MemoryBudgetLedger implements BudgetLedger {
  readonly #options: MemoryBudgetLedgerOptions;
  /** Null until the file is read. */
  #budgets: Map<string, Budget> | null = null;
  /** Whether memory has charges that the file does not cover. */
  #isAhead = false;
  #waiting: Task[] = [];
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #closed: Promise<void> | null = null;

  constructor(options: MemoryBudgetLedgerOptions) {
    this.#options = options;
  }

  charge(demands: readonly BudgetDemand[]): Promise<BudgetCharge> {
    return this.#submit(demands, false) as Promise<BudgetCharge>;
  }

  check(demands: readonly BudgetDemand[]): Promise<BudgetCheck> {
    return this.#submit(demands, true) as Promise<BudgetCheck>;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#running;
    if (this.#budgets !== null && this.#budgets.size > 0) await this.#write(this.#budgets, 0);
  }

  #submit(demands: readonly BudgetDemand[], isCheck: boolean): Promise<BudgetCharge | BudgetCheck> {
    if (this.#closed !== null) return Promise.resolve(UNAVAILABLE);
    return new Promise((resolve) => {
      this.#waiting.push({ demands, isCheck, resolve });
      if (!this.#isRunning) this.#running = this.#run();
    });
  }

  /** Rounds, one after the other: a charge is reported once the file covers it. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const tasks = this.#waiting;
      this.#waiting = [];
      const budgets = this.#budgets ?? (await this.#read());
      const now = this.#options.clock.now();
      const results = tasks.map((task) => (budgets === null ? UNAVAILABLE : this.#decide(budgets, task, now)));
      const isDurable = budgets === null || !this.#isAhead || (await this.#write(budgets, RESERVED_PART));
      for (const [index, result] of results.entries()) {
        const isLost = !isDurable && result.outcome === 'charged';
        if (isLost) await result.refund();
        tasks[index]?.resolve(isLost ? UNAVAILABLE : result);
      }
    }
    this.#isRunning = false;
  }

  #decide(budgets: Map<string, Budget>, { demands, isCheck }: Task, now: number): BudgetCharge | BudgetCheck {
    const found = demands.map((demand) => findBudget(budgets, demand));
    const exceeded = demands.flatMap((demand, index) => (found[index]?.window.fits(demand, now) ? [] : [index]));
    if (exceeded.length > 0) return { outcome: 'exceeded', exceeded };
    if (isCheck) return { outcome: 'within' };
    const charged = demands.map((demand, index) => {
      const budget = found[index] as Budget;
      budget.reserved -= demand.units;
      if (budget.reserved < 0) this.#isAhead = true;
      return { demand, window: budget.window, endsAt: budget.window.charge(demand, now) };
    });
    return {
      outcome: 'charged',
      // The file keeps it until it is written again, and has no less than memory meanwhile.
      refund: async () => {
        for (const { demand, window, endsAt } of charged) window.refund(demand, endsAt);
      },
    };
  }

  /** Null if the file cannot be read; the next round tries again. */
  async #read(): Promise<Map<string, Budget> | null> {
    const { file, clock } = this.#options;
    try {
      const stored = await readBudgets(file);
      this.#budgets = new Map(stored.map((budget) => [budget.key, restore(budget, clock.now())]));
      this.#recovered();
      return this.#budgets;
    } catch (cause) {
      this.#failed(
        'cannot be read. If it is damaged, move it to another folder: all budgets then start from zero',
        cause,
      );
      return null;
    }
  }

  /** @param part of each maximum to reserve; 0: nothing */
  async #write(budgets: Map<string, Budget>, part: number): Promise<boolean> {
    const { file, clock } = this.#options;
    const now = clock.now();
    const stored: StoredBudget[] = [];
    this.#isAhead = false;
    for (const [key, { window, latest }] of budgets) {
      const { windowSeconds, exponent, maxUnits } = latest;
      window.drop(now - windowSeconds * 1000);
      if (window.buckets.length === 0) budgets.delete(key);
      const reserved = part === 0 ? 0 : Math.floor(maxUnits / part);
      if (budgets.has(key)) stored.push({ key, windowSeconds, exponent, reserved, buckets: window.buckets });
    }
    try {
      await writeBudgets(file, stored);
      for (const { key, reserved } of stored) (budgets.get(key) as Budget).reserved = reserved;
      this.#recovered();
      return true;
    } catch (cause) {
      // The file may be the old or the new one: the next charge writes it first.
      for (const budget of budgets.values()) budget.reserved = 0;
      this.#failed(
        'cannot be written. Free space on its disk, or give the service user write access to it and its folder',
        cause,
      );
      return false;
    }
  }

  #failed(what: string, cause: unknown): void {
    const { file, log } = this.#options;
    log.error(
      `Budgets cannot be charged; requests that need one get 503 BUDGET_UNAVAILABLE. The budget file ${what}.`,
      { file, cause },
      CHARGING,
    );
  }

  #recovered(): void {
    const { file, log } = this.#options;
    log.recovered('Budgets can be charged again.', { file }, CHARGING);
  }
}

/** What may have been charged after the file was written counts from now on. */
function restore({ windowSeconds, exponent, reserved, buckets }: StoredBudget, now: number): Budget {
  const window = new BudgetWindow(buckets);
  const latest = { windowSeconds, exponent, maxUnits: 0 };
  if (reserved > 0) window.charge({ key: '', units: reserved, ...latest }, now);
  return { window, latest, reserved: 0 };
}

function findBudget(budgets: Map<string, Budget>, demand: BudgetDemand): Budget {
  const { key, windowSeconds, exponent, maxUnits } = demand;
  const latest = { windowSeconds, exponent, maxUnits };
  const known = budgets.get(key);
  if (known === undefined) {
    const budget = { window: new BudgetWindow(), latest, reserved: 0 };
    budgets.set(key, budget);
    return budget;
  }
  // Another unit: drops the reserved part, so that the next charge writes the file.
  if (known.latest.exponent !== exponent) known.reserved = 0;
  known.latest = latest;
  return known;
}
