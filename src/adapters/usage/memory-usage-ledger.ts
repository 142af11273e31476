import {
  type AccountIds,
  toAccountName,
  UNUSED,
  type Usage,
  type UsageSharing,
  type UsageTotals,
} from '../../domain/model/account.ts';
import type { CountedRecord, UsageLedger, UsageSum } from '../../ports/usage-ledger.ts';

/** All counters at one moment. */
export interface UsageState {
  readonly totals: UsageTotals;
  /** By account name: `platformId/accountId`. */
  readonly accounts: readonly (readonly [name: string, usage: Usage])[];
}

const ONE_ERROR: Usage = { ...UNUSED, errorCount: 1 };

/** The UsageLedger of one process, in memory; not shared. */
export class MemoryUsageLedger implements UsageLedger {
  /** By account name. A Usage is replaced, never mutated. */
  #accounts = new Map<string, Usage>();
  #totals: UsageTotals = { totalSigns: 0, errorCount: 0 };

  get sharing(): UsageSharing {
    return { shared: false, state: 'current', behindSince: null, reason: null, replicas: 1 };
  }

  count({ event, outcome, time, platformId, accountId, algorithm }: CountedRecord): void {
    if (event !== 'sign' || platformId === null || accountId === null) return;
    const counted = outcome === 'success' ? { totalSigns: 1, lastSignAt: time, errorCount: 0 } : ONE_ERROR;
    this.#totals = addTotals(this.#totals, counted);
    // No such account: unknown names must not fill the memory.
    if (outcome !== 'success' && algorithm === null) return;
    const name = toAccountName({ platformId, accountId });
    const usage = addUsage(this.#accounts.get(name) ?? UNUSED, counted);
    this.#accounts.set(name, usage);
    this.onCount(name, usage);
  }

  usage(platformId: string, accountId: string): Usage {
    return this.#accounts.get(toAccountName({ platformId, accountId })) ?? UNUSED;
  }

  totals(): UsageTotals {
    return this.#totals;
  }

  async sum(accounts: readonly AccountIds[]): Promise<UsageSum> {
    return { totals: this.#totals, usages: accounts.map((ids) => this.usage(ids.platformId, ids.accountId)) };
  }

  /** A snapshot: copies references only, milliseconds for 100,000 accounts. */
  state(): UsageState {
    return { totals: this.#totals, accounts: [...this.#accounts] };
  }

  /** Begins to share what was restored. */
  start(): void {}

  /** Shares the last counts. Never rejects. */
  async stop(): Promise<void> {}

  /** Called with the changed usage of an account. */
  protected onCount(_name: string, _usage: Usage): void {}

  /** Replaces all counters. */
  restore({ totals, accounts }: UsageState): void {
    this.#totals = totals;
    this.#accounts = new Map(accounts);
  }
}

/** Adds counters of two replicas. */
export function addTotals(left: UsageTotals, right: UsageTotals): UsageTotals {
  return { totalSigns: left.totalSigns + right.totalSigns, errorCount: left.errorCount + right.errorCount };
}

/** The later of two times is the last: clocks are set back, and replicas are added in any order. */
export function addUsage(left: Usage, right: Usage): Usage {
  const isLeftLater = (left.lastSignAt ?? '') > (right.lastSignAt ?? '');
  return {
    totalSigns: left.totalSigns + right.totalSigns,
    lastSignAt: isLeftLater ? left.lastSignAt : right.lastSignAt,
    errorCount: left.errorCount + right.errorCount,
  };
}
