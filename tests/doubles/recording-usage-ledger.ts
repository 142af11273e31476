import { MemoryUsageLedger } from '../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import type { CountedRecord } from '../../src/ports/usage-ledger.ts';

/** A UsageLedger that also keeps what it was given for tests to read. */
export class RecordingUsageLedger extends MemoryUsageLedger {
  readonly #counted: CountedRecord[] = [];

  /** What it was given, in order: the fields that counters are made of. */
  get counted(): readonly CountedRecord[] {
    return this.#counted;
  }

  override count(record: CountedRecord): void {
    const { time, event, outcome, platformId, accountId, algorithm } = record;
    this.#counted.push({ time, event, outcome, platformId, accountId, algorithm });
    super.count(record);
  }
}
