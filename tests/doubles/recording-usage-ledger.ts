import { MemoryUsageLedger } from '../../src/adapters/usage/memory-usage-ledger.ts';
import type { CountedRecord } from '../../src/ports/usage-ledger.ts';

/** A UsageLedger that records what it counts. */
export class RecordingUsageLedger extends MemoryUsageLedger {
  readonly #counted: CountedRecord[] = [];

  /** Counted fields of each record, in order. */
  get counted(): readonly CountedRecord[] {
    return this.#counted;
  }

  override count(record: CountedRecord): void {
    const { time, event, outcome, platformId, accountId, algorithm } = record;
    this.#counted.push({ time, event, outcome, platformId, accountId, algorithm });
    super.count(record);
  }
}
