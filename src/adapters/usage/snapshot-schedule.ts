import { existsSync } from 'node:fs';
import type { AuditHead } from '../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../domain/model/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import { snapshotPath, type UsageSnapshot, writeSnapshot } from './usage-snapshot.ts';

/** Records between snapshots; bounds the work of a start. */
export const SNAPSHOT_RECORDS = 100_000;

/** Interval of the check, milliseconds. */
const CHECK_MS = 5000;

const NOT_WRITTEN = 'The snapshot of the usage counters could not be written. The next start recounts more records.';

interface SnapshotOptions extends Pick<Ports, 'clock' | 'log'> {
  readonly auditFile: string;
  readonly ledger: MemoryUsageLedger;
  /** The last record that the ledger counted. */
  readonly head: () => AuditHead;
}

/**
 * Writes usage snapshots at run time, one at a time. A failure is logged: the next start counts
 * more records.
 */
export class SnapshotSchedule {
  readonly #options: SnapshotOptions;
  /** Last record of the newest snapshot, written or attempted. */
  #lastSeq = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Before the start, the ledger may lag behind the head. */
  #isStarted = false;
  /** Settles after all requested writes. */
  #done: Promise<unknown> = Promise.resolve();
  /** A requested write that has not begun. */
  #waiting: Promise<boolean> | null = null;
  #stopped: Promise<unknown> | null = null;

  constructor(options: SnapshotOptions) {
    this.#options = options;
  }

  /**
   * Starts the schedule, once the ledger has counted up to the head and before the first record is
   * appended. A snapshot that is unusable or reports the end of the chain is replaced first.
   * @param newest the snapshot that the ledger was restored from
   * @throws AuditUnavailableError when that fails
   */
  async start(newest: UsageSnapshot | null): Promise<void> {
    this.#isStarted = true;
    this.#lastSeq = newest?.head.seq ?? 0;
    // An unusable file may be readable at the next start, and report the end of the chain.
    const isStale = newest === null ? existsSync(snapshotPath(this.#options.auditFile)) : newest.closed;
    if (isStale && !(await this.save())) throw staleSnapshotError(this.#options.auditFile);
    if (this.#stopped === null) this.#timer = setInterval(() => this.#saveIfDue(), CHECK_MS).unref();
  }

  /**
   * Writes a snapshot after the current one; returns whether that succeeded. Never rejects; does
   * nothing before the start and after the stop.
   */
  save(): Promise<boolean> {
    if (this.#stopped !== null || !this.#isStarted) return Promise.resolve(false);
    this.#waiting ??= this.#enqueue(false);
    return this.#waiting;
  }

  /**
   * Writes the last snapshot, after the audit sink is closed. Never rejects; idempotent.
   * @param isComplete whether the chain is known to end with it, as the snapshot then says
   */
  stop(isComplete: boolean): Promise<unknown> {
    clearInterval(this.#timer);
    this.#stopped ??= this.#isStarted ? this.#enqueue(isComplete) : Promise.resolve();
    return this.#stopped;
  }

  #saveIfDue(): void {
    if (this.#options.head().seq - this.#lastSeq >= SNAPSHOT_RECORDS) void this.save();
  }

  #enqueue(closed: boolean): Promise<boolean> {
    const written = this.#done.then(() => {
      this.#waiting = null;
      return this.#write(closed);
    });
    this.#done = written;
    return written;
  }

  async #write(closed: boolean): Promise<boolean> {
    const { auditFile, ledger, head, clock, log } = this.#options;
    // In one tick, so that the ledger matches the head.
    const savedAt = new Date(clock.now()).toISOString();
    const snapshot = { head: head(), closed, savedAt, state: ledger.state() };
    this.#lastSeq = snapshot.head.seq;
    try {
      await writeSnapshot(auditFile, snapshot);
      return true;
    } catch (cause) {
      log.error(NOT_WRITTEN, { file: snapshotPath(auditFile), cause }, { topic: 'usage snapshots' });
      return false;
    }
  }
}

/** A snapshot that ends the chain must not remain with a chain that continues. */
function staleSnapshotError(auditFile: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `Cannot write ${snapshotPath(auditFile)}. Give the service user write access to it and its folder, free disk space, or move the file to another folder: ` +
      'the counters are then recounted.',
  );
}
