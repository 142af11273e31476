import type { AuditEntry } from '../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../src/domain/model/errors.ts';
import type { AuditHead, AuditSink } from '../../src/ports/audit-sink.ts';
import type { UsageLedger } from '../../src/ports/usage-ledger.ts';

interface Append {
  readonly entries: readonly AuditEntry[];
  readonly succeed: () => void;
  readonly fail: (error: unknown) => void;
}

/** An AuditSink whose appends stay pending until a test settles them, in any order. */
export class DelayingAuditSink implements AuditSink {
  readonly facts = {};
  readonly checkpoint = null;
  readonly #waiting: Append[] = [];
  readonly #durable: AuditEntry[] = [];
  readonly #usage: UsageLedger | undefined;
  #closed = false;

  /** @param usage counts entries that succeeded */
  constructor(usage?: UsageLedger) {
    this.#usage = usage;
  }

  /** Pending entries, oldest first. */
  get waiting(): readonly AuditEntry[] {
    return this.#waiting.flatMap(({ entries }) => entries);
  }

  /** Entries that succeeded, in that order. */
  get durable(): readonly AuditEntry[] {
    return this.#durable;
  }

  get head(): AuditHead {
    return { seq: this.#durable.length, hash: null };
  }

  get available(): boolean {
    return !this.#closed;
  }

  get queued(): number {
    return this.waiting.length;
  }

  append(...entries: readonly AuditEntry[]): Promise<void> {
    if (this.#closed) return Promise.reject(new AuditUnavailableError('The audit sink is closed.'));
    return new Promise((succeed, fail) => {
      this.#waiting.push({ entries: structuredClone(entries), succeed, fail });
    });
  }

  succeed(index = 0): void {
    const { entries, succeed } = this.#take(index);
    this.#durable.push(...entries);
    for (const entry of entries) this.#usage?.count(entry);
    succeed();
  }

  fail(index = 0): void {
    this.#take(index).fail(new AuditUnavailableError('The audit sink fails on purpose.'));
  }

  async probe(): Promise<string | null> {
    return this.#closed ? 'The audit sink is closed.' : null;
  }

  async reopen(): Promise<void> {}

  /** Lets all pending appends succeed. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#waiting.length > 0) this.succeed();
  }

  #take(index: number): Append {
    const [append] = this.#waiting.splice(index, 1);
    if (append === undefined) throw new RangeError(`No append waits at index ${index}.`);
    return append;
  }
}
