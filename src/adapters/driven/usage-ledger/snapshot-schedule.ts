import { existsSync } from 'node:fs';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import type { UsageSnapshot } from './snapshot-text.ts';
import { snapshotPath, writeSnapshot } from './usage-snapshot.ts';

/** After so many records a snapshot is written: what a start has to count is bounded. */
export const SNAPSHOT_RECORDS = 100_000;

/** How often it is looked at whether a snapshot is due, milliseconds. */
const LOOK_MS = 5000;

/** What a {@link SnapshotSchedule} works with. */
export interface SnapshotParts {
  readonly auditFile: string;
  readonly ledger: MemoryUsageLedger;
  /** The last record that the ledger has counted. */
  readonly head: () => ChainHead;
  /** Offset behind it in the audit file, bytes. */
  readonly size: () => number;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/** Writes the snapshots of the usage counters while a service runs, one at a time. That one can't be written is logged: a start counts more records then. */
export class SnapshotSchedule {
  readonly #parts: SnapshotParts;
  /** Number of the last record of the newest snapshot, or of the last attempt to write one. */
  #lastSeq = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Before that, the ledger may not have counted everything up to the head. */
  #isStarted = false;
  /** Settles when everything that was asked for so far is done. */
  #done: Promise<unknown> = Promise.resolve();
  /** A snapshot that was asked for and not begun. */
  #waiting: Promise<boolean> | null = null;
  #stopped: Promise<unknown> | null = null;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /**
   * The ledger has counted everything up to the head. Looks from now on, every few seconds, whether
   * a snapshot is due. Where the newest one says that the chain ended with it, or can't be used,
   * another is written before this resolves, so that this is not
   * said of a chain that goes on: the first record is to be appended after that.
   * @param newest the snapshot that the ledger was restored from
   * @throws AuditUnavailableError when that can't be written
   */
  async start(newest: UsageSnapshot | null): Promise<void> {
    this.#isStarted = true;
    this.#lastSeq = newest?.head.seq ?? 0;
    // What can't be used now may be readable at the next start, and say then that the chain ended.
    const isStale = newest === null ? existsSync(snapshotPath(this.#parts.auditFile)) : newest.closed;
    if (isStale && !(await this.save())) throw staleSnapshotFault(this.#parts.auditFile);
    if (this.#stopped === null) this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Writes a snapshot of the moment in which the one before it is done; returns whether that was done. Never rejects; does nothing before the start and once stopped. */
  save(): Promise<boolean> {
    if (this.#stopped !== null || !this.#isStarted) return Promise.resolve(false);
    this.#waiting ??= this.#enqueue(false);
    return this.#waiting;
  }

  /**
   * Writes the last snapshot: the audit sink is closed by then. Never rejects; writes nothing where nothing was started. Safe to call twice.
   * @param isComplete whether the chain is known to end with it, which the snapshot says then
   */
  stop(isComplete: boolean): Promise<unknown> {
    clearInterval(this.#timer);
    this.#stopped ??= this.#isStarted ? this.#enqueue(isComplete) : Promise.resolve();
    return this.#stopped;
  }

  #look(): void {
    if (this.#parts.head().seq - this.#lastSeq >= SNAPSHOT_RECORDS) void this.save();
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
    const { auditFile, ledger, head, size, clock, log } = this.#parts;
    // Together in one turn: what the ledger says is what the chain says up to its head.
    const savedAt = new Date(clock.now()).toISOString();
    const snapshot = { head: head(), size: size(), closed, savedAt, state: ledger.state() };
    this.#lastSeq = snapshot.head.seq;
    try {
      await writeSnapshot(auditFile, snapshot);
      return true;
    } catch (cause) {
      log.error(
        'The snapshot of the usage counters could not be written. The next start counts more records instead.',
        {
          file: snapshotPath(auditFile),
          cause,
        },
      );
      return false;
    }
  }
}

/** What says that the chain ended must not stay beside a chain that goes on. */
function staleSnapshotFault(auditFile: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${snapshotPath(auditFile)} can not be written. Give the user that runs the service the right to write it and its folder, make room on its disk, or move it to another folder: ` +
      'the counters are then counted anew.',
  );
}
