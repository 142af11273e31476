import type { Usage, UsageTotals } from '../../../domain/model/usage.ts';
import type { UsageLedger } from '../../../ports/usage-ledger.ts';

const UNUSED: Usage = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** Counters of this process since it started. */
export class MemoryUsageLedger implements UsageLedger {
  /** By platform id, then by account id. */
  readonly #accounts = new Map<string, Map<string, Usage>>();
  #totals: UsageTotals = { totalSigns: 0, errorCount: 0, signingTimeMs: 0 };

  recordSignature(platformId: string, accountId: string, at: string, durationMs: number): void {
    const { totalSigns, lastSignAt, errorCount } = this.usage(platformId, accountId);
    this.#set(platformId, accountId, { totalSigns: totalSigns + 1, lastSignAt: later(lastSignAt, at), errorCount });
    this.#totals = {
      ...this.#totals,
      totalSigns: this.#totals.totalSigns + 1,
      signingTimeMs: this.#totals.signingTimeMs + durationMs,
    };
  }

  recordError(platformId: string | null, accountId: string | null): void {
    this.#totals = { ...this.#totals, errorCount: this.#totals.errorCount + 1 };
    if (platformId === null || accountId === null) return;
    const usage = this.usage(platformId, accountId);
    this.#set(platformId, accountId, { ...usage, errorCount: usage.errorCount + 1 });
  }

  usage(platformId: string, accountId: string): Usage {
    return this.#accounts.get(platformId)?.get(accountId) ?? UNUSED;
  }

  totals(): UsageTotals {
    return this.#totals;
  }

  #set(platformId: string, accountId: string, usage: Usage): void {
    const accounts = this.#accounts.get(platformId) ?? new Map<string, Usage>();
    this.#accounts.set(platformId, accounts.set(accountId, usage));
  }
}

/** Signatures may be reported out of order. ISO 8601 UTC texts of one width sort as their instants do. */
function later(known: string | null, at: string): string {
  return known !== null && known > at ? known : at;
}
