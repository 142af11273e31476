import type { AuditEntry } from '../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../src/domain/model/errors.ts';
import { MemoryAuditSink } from './memory-audit-sink.ts';

interface Append {
  readonly entries: readonly AuditEntry[];
  readonly settle: (outcome: Promise<void>) => void;
}

/** An AuditSink in memory whose appends stay pending until a test settles them, in any order. */
export class DelayingAuditSink extends MemoryAuditSink {
  readonly #waiting: Append[] = [];

  /** Pending entries, oldest first. */
  get waiting(): readonly AuditEntry[] {
    return this.#waiting.flatMap(({ entries }) => entries);
  }

  /** Entries that succeeded, in that order. */
  get durable(): readonly AuditEntry[] {
    return this.entries;
  }

  override get queued(): number {
    return this.waiting.length;
  }

  override append(...entries: readonly AuditEntry[]): Promise<void> {
    if (!this.available) return super.append(...entries);
    return new Promise((settle) => {
      this.#waiting.push({ entries: structuredClone(entries), settle });
    });
  }

  succeed(index = 0): void {
    const { entries, settle } = this.#take(index);
    settle(super.append(...entries));
  }

  fail(index = 0): void {
    this.#take(index).settle(Promise.reject(new AuditUnavailableError('The audit sink fails on purpose.')));
  }

  /** Lets all pending appends succeed. */
  override async close(): Promise<void> {
    while (this.#waiting.length > 0) this.succeed();
    await super.close();
  }

  #take(index: number): Append {
    const [append] = this.#waiting.splice(index, 1);
    if (append === undefined) throw new RangeError(`No append waits at index ${index}.`);
    return append;
  }
}
