import type { Usage, UsageSharing, UsageTotals } from '../../../domain/model/usage.ts';
import type { CountedRecord, UsageLedger } from '../../../ports/usage-ledger.ts';

/** Usage of the accounts of one platform: `usages[i]` is that of `accountIds[i]`. */
export interface PlatformUsage {
  readonly platformId: string;
  readonly accountIds: readonly string[];
  readonly usages: readonly Usage[];
}

/** All counters as they stood at one moment. */
export interface LedgerState {
  readonly totals: UsageTotals;
  readonly platforms: readonly PlatformUsage[];
}

const UNUSED: Usage = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** Counters in memory, which can be taken down and put back. */
export class MemoryUsageLedger implements UsageLedger {
  readonly sharing: UsageSharing = { mode: 'alone' };
  /** By platform id, then by account id. A Usage is replaced and never changed. */
  #platforms = new Map<string, Map<string, Usage>>();
  #totalSigns = 0;
  #errorCount = 0;

  count({ event, outcome, time, platformId, accountId, algorithm }: CountedRecord): void {
    if (event !== 'sign' || platformId === null || accountId === null) return;
    const isSuccess = outcome === 'success';
    if (isSuccess) this.#totalSigns += 1;
    else this.#errorCount += 1;
    // There is no such account: anybody could fill the memory with names.
    if (!isSuccess && algorithm === null) return;
    const accounts = this.#accountsOf(platformId);
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

  /** Accounts that were used, as they are when it is their turn; some may come to it meanwhile. */
  *accounts(): Generator<readonly [platformId: string, accountId: string]> {
    for (const [platformId, accounts] of this.#platforms) {
      for (const accountId of accounts.keys()) yield [platformId, accountId];
    }
  }

  /** Everything as it stands now; what is counted later does not change it. Copies references alone, which takes milliseconds for 100,000 accounts. */
  state(): LedgerState {
    const platforms = [...this.#platforms].map(([platformId, accounts]) => ({
      platformId,
      accountIds: [...accounts.keys()],
      usages: [...accounts.values()],
    }));
    return { totals: this.totals(), platforms };
  }

  /** Puts a state in the place of everything that was counted. */
  restore({ totals, platforms }: LedgerState): void {
    this.#platforms = new Map();
    this.#totalSigns = totals.totalSigns;
    this.#errorCount = totals.errorCount;
    for (const { platformId, accountIds, usages } of platforms) {
      if (accountIds.length === 0) continue;
      const accounts = this.#accountsOf(platformId);
      for (const [index, accountId] of accountIds.entries()) accounts.set(accountId, usages[index] ?? UNUSED);
    }
  }

  #accountsOf(platformId: string): Map<string, Usage> {
    const known = this.#platforms.get(platformId);
    if (known !== undefined) return known;
    const accounts = new Map<string, Usage>();
    this.#platforms.set(platformId, accounts);
    return accounts;
  }
}

/**
 * The later of two times, ISO 8601 UTC of the same width, which sort like their instants. Clocks
 * are set back, and records of several instances are counted one after the other.
 * @param known null for none
 */
export function laterTime(known: string | null, time: string): string {
  return known !== null && known > time ? known : time;
}
