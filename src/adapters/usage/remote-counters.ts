import type { Usage, UsageTotals } from '../../domain/model/account.ts';
import { laterTime } from './memory-usage-ledger.ts';
import { accountField, formatSummary, type Summary } from './redis-usage-format.ts';

/** Maximum number of other replicas. */
export const MAX_REPLICAS = 1000;

/** Maximum number of accounts, summed over replicas. */
export const MAX_ACCOUNTS = 1_000_000;

/** Counters of one replica, as last read. */
interface Replica {
  /** Last write, Unix milliseconds. */
  writtenAt: number;
  summary: Summary;
  /** Its summary when its accounts were last read; null when they must be read. */
  read: Summary | null;
  readonly accounts: Map<string, Usage>;
}

/** Counters of the other replicas, kept while Redis is away or has lost them. */
export class RemoteCounters {
  readonly #replicas = new Map<string, Replica>();
  readonly #maxAccounts: number;
  #accounts = 0;

  constructor(maxAccounts = MAX_ACCOUNTS) {
    this.#maxAccounts = maxAccounts;
  }

  get size(): number {
    return this.#replicas.size;
  }

  /** Adds the other replicas' usage of an account. */
  addTo(usage: Usage, platformId: string, accountId: string): Usage {
    if (this.#replicas.size === 0) return usage;
    const field = accountField(platformId, accountId);
    let { totalSigns, lastSignAt, errorCount } = usage;
    for (const { accounts } of this.#replicas.values()) {
      const remote = accounts.get(field);
      if (remote === undefined) continue;
      totalSigns += remote.totalSigns;
      errorCount += remote.errorCount;
      if (remote.lastSignAt !== null) lastSignAt = laterTime(lastSignAt, remote.lastSignAt);
    }
    return { totalSigns, lastSignAt, errorCount };
  }

  /** Adds the other replicas' totals. */
  addToTotals({ totalSigns, errorCount }: UsageTotals): UsageTotals {
    let [signs, errors] = [totalSigns, errorCount];
    for (const { summary } of this.#replicas.values()) {
      signs += summary.totals.totalSigns;
      errors += summary.totals.errorCount;
    }
    return { totalSigns: signs, errorCount: errors };
  }

  /**
   * Takes a replica's totals. Lower ones than before reset its accounts: its records were replaced.
   * @param writtenAt Unix milliseconds
   * @returns false when there are too many replicas
   */
  takeSummary(name: string, summary: Summary, writtenAt: number): boolean {
    const known = this.#replicas.get(name);
    if (known === undefined && this.#replicas.size >= MAX_REPLICAS) return false;
    if (known !== undefined && !isLess(summary.totals, known.summary.totals)) {
      known.summary = summary;
      known.writtenAt = writtenAt;
      return true;
    }
    this.#remove(name);
    this.#replicas.set(name, { writtenAt, summary, read: null, accounts: new Map() });
    return true;
  }

  /** Whether a replica wrote since its accounts were read. */
  isStale(name: string): boolean {
    const replica = this.#replicas.get(name);
    return replica !== undefined && !isSame(replica.read, replica.summary);
  }

  /** Takes a replica's usage of an account; returns false when there are too many. */
  takeUsage(name: string, field: string, usage: Usage): boolean {
    const accounts = this.#replicas.get(name)?.accounts;
    if (accounts === undefined) return true;
    if (!accounts.has(field)) {
      if (this.#accounts >= this.#maxAccounts) return false;
      this.#accounts += 1;
    }
    accounts.set(field, usage);
    return true;
  }

  /**
   * Ends the reading of a replica's accounts.
   * @param summary after it; if different from the one before, they remain stale
   */
  finishReading(name: string, summary: Summary | null): void {
    const replica = this.#replicas.get(name);
    if (replica !== undefined) replica.read = summary;
  }

  /** Removes replicas without a write since `time`, Unix milliseconds. */
  removeBefore(time: number): void {
    for (const [name, { writtenAt }] of this.#replicas) if (writtenAt < time) this.#remove(name);
  }

  #remove(name: string): void {
    this.#accounts -= this.#replicas.get(name)?.accounts.size ?? 0;
    this.#replicas.delete(name);
  }
}

function isLess(totals: UsageTotals, before: UsageTotals): boolean {
  return totals.totalSigns < before.totalSigns || totals.errorCount < before.errorCount;
}

function isSame(one: Summary | null, other: Summary): boolean {
  return one !== null && formatSummary(one) === formatSummary(other);
}
