import type { Usage, UsageTotals } from '../../src/domain/model/usage.ts';
import type { CountedRecord, UsageLedger } from '../../src/ports/usage-ledger.ts';

/** A UsageLedger that keeps what it was given for tests to read, and counts nothing. */
export class RecordingUsageLedger implements UsageLedger {
  readonly #counted: CountedRecord[] = [];

  /** What it was given, in order: the fields that counters are made of. */
  get counted(): readonly CountedRecord[] {
    return this.#counted;
  }

  count({ time, event, outcome, platformId, accountId, algorithm }: CountedRecord): void {
    this.#counted.push({ time, event, outcome, platformId, accountId, algorithm });
  }

  usage(): Usage {
    return { totalSigns: 0, lastSignAt: null, errorCount: 0 };
  }

  totals(): UsageTotals {
    return { totalSigns: 0, errorCount: 0 };
  }
}
