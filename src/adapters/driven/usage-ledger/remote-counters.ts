import type { Usage, UsageTotals } from '../../../domain/model/usage.ts';
import { laterTime } from './memory-usage-ledger.ts';
import { accountField, formatSummary, type Summary } from './redis-usage-format.ts';

/** Maximum number of other replicas whose counters are kept. */
export const MAX_REPLICAS = 1000;

/** Maximum number of accounts that are kept, each once per replica that used it. */
export const MAX_ACCOUNTS = 1_000_000;

/** Counters of one replica, as last read. */
interface Replica {
  /** Time of its last write, Unix milliseconds. */
  writtenAt: number;
  summary: Summary;
  /** Its summary when its accounts were last read; null when they have to be read. */
  read: Summary | null;
  /** By account field. */
  readonly accounts: Map<string, Usage>;
}

/** Counters of the other replicas. They are kept while Redis is away or has lost them. */
export class RemoteCounters {
  readonly #replicas = new Map<string, Replica>();
  readonly #maxAccounts: number;
  #accounts = 0;

  constructor(maxAccounts = MAX_ACCOUNTS) {
    this.#maxAccounts = maxAccounts;
  }

  /** Number of replicas. */
  get size(): number {
    return this.#replicas.size;
  }

  /** Adds the usage of an account by the other replicas to its usage by this one. */
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

  /** Adds the totals of the other replicas to those of this one. */
  addToTotals({ totalSigns, errorCount }: UsageTotals): UsageTotals {
    let [signs, errors] = [totalSigns, errorCount];
    for (const { summary } of this.#replicas.values()) {
      signs += summary.totals.totalSigns;
      errors += summary.totals.errorCount;
    }
    return { totalSigns: signs, errorCount: errors };
  }

  /**
   * Takes the totals of a replica; lower ones than before begin it again: its records were
   * replaced.
   * @param writtenAt Unix milliseconds
   * @returns false when there is no room for another replica
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

  /** Whether the accounts of a replica have to be read: it wrote since they were read. */
  isStale(name: string): boolean {
    const replica = this.#replicas.get(name);
    return replica !== undefined && !isSame(replica.read, replica.summary);
  }

  /** Takes the usage of an account by a replica; returns false when there is no room for it. */
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
   * All accounts of a replica were read.
   * @param summary after that; where it differs from the one before, the accounts are stale
   */
  finishReading(name: string, summary: Summary | null): void {
    const replica = this.#replicas.get(name);
    if (replica !== undefined) replica.read = summary;
  }

  /** Removes replicas that have not written since a time, Unix milliseconds. */
  removeBefore(time: number): void {
    for (const [name, { writtenAt }] of this.#replicas) if (writtenAt < time) this.#remove(name);
  }

  #remove(name: string): void {
    this.#accounts -= this.#replicas.get(name)?.accounts.size ?? 0;
    this.#replicas.delete(name);
  }
}

/** Whether either number is lower than before. */
function isLess(totals: UsageTotals, before: UsageTotals): boolean {
  return totals.totalSigns < before.totalSigns || totals.errorCount < before.errorCount;
}

function isSame(one: Summary | null, other: Summary): boolean {
  return one !== null && formatSummary(one) === formatSummary(other);
}
