import type { Usage, UsageTotals } from '../../../../domain/model/usage.ts';
import type { CountedRecord } from '../../../../ports/usage-ledger.ts';
import { MemoryUsageLedger } from '../memory-usage-ledger.ts';
import { accountField, accountOf } from './shared-counters.ts';
import { excessOf, excessOfTotals, NO_TOTALS, NO_USAGE, sumOf, sumOfTotals } from './usage-arithmetic.ts';

/**
 * What this replica counts: its records, and what Redis holds of it beyond them because records were lost. That is carried on, so that no counter goes down.
 * Knows which accounts Redis has not been told of.
 */
export class OwnCounters {
  readonly #ledger: MemoryUsageLedger;
  /** By account field. */
  #carried = new Map<string, Usage>();
  #carriedTotals: UsageTotals = NO_TOTALS;
  /** What was counted since the start, until it is known what Redis holds of the time before; null then. */
  #fresh: MemoryUsageLedger | null = new MemoryUsageLedger();
  readonly #changed = new Set<string>();

  /** @param ledger what the records say, restored before anything is asked here */
  constructor(ledger: MemoryUsageLedger) {
    this.#ledger = ledger;
  }

  count(record: CountedRecord): void {
    const { platformId, accountId } = record;
    if (platformId === null || accountId === null) return;
    const before = this.#ledger.usage(platformId, accountId);
    this.#ledger.count(record);
    this.#fresh?.count(record);
    if (this.#ledger.usage(platformId, accountId) !== before) this.#changed.add(accountField(platformId, accountId));
  }

  usage(platformId: string, accountId: string): Usage {
    const usage = this.#ledger.usage(platformId, accountId);
    if (this.#carried.size === 0) return usage;
    const carried = this.#carried.get(accountField(platformId, accountId));
    return carried === undefined ? usage : sumOf(usage, carried);
  }

  totals(): UsageTotals {
    return sumOfTotals(this.#ledger.totals(), this.#carriedTotals);
  }

  /** How many accounts changed since they were taken. */
  get changes(): number {
    return this.#changed.size;
  }

  /** Up to `most` of them. */
  changed(most: number): readonly string[] {
    const fields: string[] = [];
    for (const field of this.#changed) {
      if (fields.length === most) break;
      fields.push(field);
    }
    return fields;
  }

  /** Redis is told of these now, whether they changed or not. */
  take(fields: readonly string[]): void {
    for (const field of fields) this.#changed.delete(field);
  }

  /** Every account that there is anything of, as it is when it is its turn. */
  *fields(): Generator<string> {
    for (const [platformId, accountId] of this.#ledger.accounts()) yield accountField(platformId, accountId);
    for (const field of this.#carried.keys()) {
      const [platformId, accountId] = accountOf(field);
      const { totalSigns, errorCount } = this.#ledger.usage(platformId, accountId);
      if (totalSigns + errorCount === 0) yield field;
    }
  }

  /** What Redis holds of an account beyond what this replica knew before it counted anew; null when nothing. */
  excess(field: string, held: Usage): Usage | null {
    const [platformId, accountId] = accountOf(field);
    const fresh = this.#fresh?.usage(platformId, accountId) ?? NO_USAGE;
    const known = excessOf(this.usage(platformId, accountId), fresh) ?? NO_USAGE;
    return excessOf(held, known);
  }

  /** The same of the totals. */
  excessTotals(held: UsageTotals): UsageTotals {
    return excessOfTotals(held, excessOfTotals(this.totals(), this.#fresh?.totals() ?? NO_TOTALS));
  }

  /** Redis holds nothing of this replica from before: what is counted from now on is known to both. */
  settle(): void {
    this.#fresh = null;
  }

  /** From now on it is known what Redis held: this much more is carried on, and what is counted is known to both. */
  carry(excess: Map<string, Usage>, totals: UsageTotals): void {
    this.#fresh = null;
    const before = this.#carried;
    this.#carried = excess;
    for (const [field, usage] of before) excess.set(field, sumOf(usage, excess.get(field) ?? NO_USAGE));
    this.#carriedTotals = sumOfTotals(this.#carriedTotals, totals);
  }
}
