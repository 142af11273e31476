import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import type { AuditFile } from '../file/audit-file.ts';
import type { SegmentReason } from '../record/segment.ts';
import type { AuditFileLog } from './audit-file-log.ts';
import type { RotationPolicy } from './rotation-policy.ts';

/** Retry delays, milliseconds: doubled each time, reset after a minute without trouble. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
const RESET_AFTER_MS = 60_000;

/** Retries with exponential back-off until cancelled. Does not keep the process alive. */
export class RetryTimer {
  readonly #attempt: () => void;
  #waitMs = FIRST_RETRY_MS;
  #failedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(attempt: () => void) {
    this.#attempt = attempt;
  }

  /** Starts retrying; resets the delay after a minute without trouble. */
  begin(): void {
    const now = performance.now();
    if (now - this.#failedAt > RESET_AFTER_MS) this.#waitMs = FIRST_RETRY_MS;
    this.#failedAt = now;
    this.later();
  }

  later(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(this.#attempt, this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, LAST_RETRY_MS);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  /** Cancels permanently. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}

/** Dependencies of {@link AuditFileMaintenance}. */
export interface MaintenanceParts {
  readonly file: AuditFile;
  readonly rotation: RotationPolicy;
  readonly auditLog: AuditFileLog;
  /** Called after a new file began; never rejects. True allows pruning. */
  readonly onNewFile: () => Promise<boolean>;
}

/** Validity of a path check, milliseconds; every write checks as well. */
const CHECK_MS = 20;

/**
 * Keeps the file writable: checks its path, rotates it, begins a new one after a failure. Calls
 * must not overlap; retries are queued.
 */
export class AuditFileMaintenance {
  readonly #parts: MaintenanceParts;
  readonly #file: AuditFile;
  /** Runs a task with exclusive use of the file. */
  readonly #enqueue: (task: () => Promise<void>) => void;
  readonly #retry: RetryTimer;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: MaintenanceParts, enqueue: (task: () => Promise<void>) => void) {
    this.#parts = parts;
    this.#file = parts.file;
    this.#enqueue = enqueue;
    this.#retry = new RetryTimer(() => this.#enqueue(() => this.#recover(false)));
  }

  /** Detects external modification, and repairs it where possible. */
  async check(): Promise<void> {
    if (this.#file.failure !== null) return;
    if (performance.now() - this.#checkedAt > CHECK_MS) await this.#checkPath();
  }

  /** Prepares the file for the next records. On error `file.failure` is set. */
  async prepare(): Promise<void> {
    await this.check();
    const reason = this.#file.failure === null ? this.#parts.rotation.dueReason(this.#file) : null;
    if (reason !== null) await this.#rotate(reason);
  }

  /**
   * Appends lines durably.
   * @param onDurable called in the tick in which the file's `head` moves
   * @returns null when durable; else an AuditUnavailableError, or the error of `onDurable`
   */
  async write(lines: string, head: AuditHead, onDurable: () => void): Promise<Error | null> {
    try {
      const place = await this.#file.write(lines, head, onDurable);
      this.#checkedAt = place === 'in place' ? performance.now() : Number.NEGATIVE_INFINITY;
      return null;
    } catch (error) {
      this.#startRecovery();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** An operator moved the file, or acknowledges its failure. */
  async reopen(): Promise<void> {
    if (this.#file.failure !== null) return this.#recover(true);
    await this.#checkPath();
  }

  /** Stops retrying. */
  stop(): void {
    this.#retry.stop();
  }

  async #checkPath(): Promise<void> {
    this.#checkedAt = performance.now();
    try {
      if ((await this.#file.check()) === 'moved') await this.#rotate('reopened');
    } catch {
      this.#startRecovery();
      // Often repaired immediately, before a record is refused.
      if (this.#file.failure?.kind !== 'write-error') await this.#recover(false);
    }
  }

  async #rotate(reason: SegmentReason): Promise<void> {
    const { auditLog, rotation } = this.#parts;
    const from = this.#file.head.seq;
    try {
      await this.#file.continueInNewFile(reason);
      auditLog.newFile(this.#file.path, reason, from);
      void this.#pruneOnceSaved();
    } catch (cause) {
      if (this.#file.failure !== null) return this.#startRecovery();
      rotation.postpone();
      auditLog.rotationFailed(this.#file.path, cause);
    }
  }

  /** Files are deleted only after their usage counters are saved elsewhere. */
  async #pruneOnceSaved(): Promise<void> {
    const { rotation, auditLog, onNewFile } = this.#parts;
    if (await onNewFile()) await rotation.prune(this.#file.path, auditLog);
  }

  /** Refuses records until a retry succeeds. */
  #startRecovery(): void {
    const { failure } = this.#file;
    if (failure === null) return;
    this.#parts.auditLog.failed(this.#file.path, failure.error);
    this.#retry.begin();
  }

  async #recover(isOrdered: boolean): Promise<void> {
    const { failure, path } = this.#file;
    if (failure === null) return;
    const { auditLog, onNewFile } = this.#parts;
    try {
      if (!(await this.#file.recover(isOrdered))) {
        auditLog.failed(path, this.#file.failure?.error ?? failure.error);
        return this.#retry.later();
      }
      this.#retry.cancel();
      auditLog.recovered(path, failure.kind);
      void onNewFile();
      this.#checkedAt = performance.now();
    } catch (cause) {
      auditLog.recoveryFailed(path, cause);
      this.#retry.later();
    }
  }
}
