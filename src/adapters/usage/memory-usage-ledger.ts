import type { Usage, UsageSharing, UsageTotals } from '../../domain/model/account.ts';
import type { CountedRecord, UsageLedger } from '../../ports/usage-ledger.ts';

/** Usage of one platform's accounts: `usages[i]` belongs to `accountIds[i]`. */
export interface PlatformUsage {
  readonly platformId: string;
  readonly accountIds: readonly string[];
  readonly usages: readonly Usage[];
}

/** All counters at one moment. */
export interface LedgerState {
  readonly totals: UsageTotals;
  readonly platforms: readonly PlatformUsage[];
}

const UNUSED: Usage = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** The UsageLedger in memory, with snapshots of its state. */
export class MemoryUsageLedger implements UsageLedger {
  readonly sharing: UsageSharing = { shared: false, state: 'current', behindSince: null, reason: null, replicas: 1 };
  /** By platform id, then account id. A Usage is replaced, never mutated. */
  #platforms = new Map<string, Map<string, Usage>>();
  #totalSigns = 0;
  #errorCount = 0;

  count({ event, outcome, time, platformId, accountId, algorithm }: CountedRecord): void {
    if (event !== 'sign' || platformId === null || accountId === null) return;
    const isSuccess = outcome === 'success';
    if (isSuccess) this.#totalSigns += 1;
    else this.#errorCount += 1;
    // No such account: unknown names must not fill the memory.
    if (!isSuccess && algorithm === null) return;
    const accounts = this.#getAccounts(platformId);
    const { totalSigns, lastSignAt, errorCount } = accounts.get(accountId) ?? UNUSED;
    accounts.set(
      accountId,
      isSuccess
        ? { totalSigns: totalSigns + 1, lastSignAt: laterTime(lastSignAt, time), errorCount }
        : { totalSigns, lastSignAt, errorCount: errorCount + 1 },
    );
  }

  usage(platformId: string, accountId: string): Usage {
    return this.#platforms.get(platformId)?.get(accountId) ?? UNUSED;
  }

  totals(): UsageTotals {
    return { totalSigns: this.#totalSigns, errorCount: this.#errorCount };
  }

  /** Used accounts, evaluated lazily. */
  *accounts(): Generator<readonly [platformId: string, accountId: string]> {
    for (const [platformId, accounts] of this.#platforms) {
      for (const accountId of accounts.keys()) yield [platformId, accountId];
    }
  }

  /** A snapshot: copies references only, milliseconds for 100,000 accounts. */
  state(): LedgerState {
    const platforms = [...this.#platforms].map(([platformId, accounts]) => ({
      platformId,
      accountIds: [...accounts.keys()],
      usages: [...accounts.values()],
    }));
    return { totals: this.totals(), platforms };
  }

  /** Replaces all counters. */
  restore({ totals, platforms }: LedgerState): void {
    this.#platforms = new Map();
    this.#totalSigns = totals.totalSigns;
    this.#errorCount = totals.errorCount;
    for (const { platformId, accountIds, usages } of platforms) {
      if (accountIds.length === 0) continue;
      const accounts = this.#getAccounts(platformId);
      for (const [index, accountId] of accountIds.entries()) accounts.set(accountId, usages[index] ?? UNUSED);
    }
  }

  #getAccounts(platformId: string): Map<string, Usage> {
    const known = this.#platforms.get(platformId);
    if (known !== undefined) return known;
    const accounts = new Map<string, Usage>();
    this.#platforms.set(platformId, accounts);
    return accounts;
  }
}

/**
 * The later of two times, ISO 8601 UTC of equal width. Clocks are set back, and records of several
 * instances are counted in turn.
 */
export function laterTime(known: string | null, time: string): string {
  return known !== null && known > time ? known : time;
}
