import type { AuditEntry, AuditHead } from '../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../src/domain/model/errors.ts';
import type { AuditSink } from '../../src/ports/audit-sink.ts';
import type { UsageLedger } from '../../src/ports/usage-ledger.ts';

/** An AuditSink that records entries in memory. */
export class MemoryAuditSink implements AuditSink {
  readonly facts = {};
  readonly checkpoint = null;
  readonly #entries: AuditEntry[] = [];
  readonly #usage: UsageLedger | undefined;
  #closed = false;

  /** @param usage counts each entry */
  constructor(usage?: UsageLedger) {
    this.#usage = usage;
  }

  /** All entries, oldest first. */
  get entries(): readonly AuditEntry[] {
    return this.#entries;
  }

  /** Forgets all entries. */
  clear(): void {
    this.#entries.length = 0;
  }

  get head(): AuditHead {
    return { seq: this.#entries.length, hash: null };
  }

  get available(): boolean {
    return !this.#closed;
  }

  get queued(): number {
    return 0;
  }

  async append(...entries: readonly AuditEntry[]): Promise<void> {
    if (this.#closed) throw new AuditUnavailableError('The audit sink is closed.');
    this.#entries.push(...structuredClone(entries));
    for (const entry of entries) this.#usage?.count(entry);
  }

  async probe(): Promise<string | null> {
    return this.#closed ? 'The audit sink is closed.' : null;
  }

  async reopen(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
  }
}
