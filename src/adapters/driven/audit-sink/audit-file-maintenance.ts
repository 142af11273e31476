import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import type { SegmentReason } from '../../../audit-trail/segment.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { AuditFile } from './audit-file.ts';
import type { AuditNotices } from './audit-notices.ts';
import { RetryTimer } from './retry-timer.ts';
import type { RotationPolicy } from './rotation-policy.ts';

/** What {@link AuditFileMaintenance} works with. */
export interface MaintenanceParts {
  readonly file: AuditFile;
  readonly rotation: RotationPolicy;
  readonly notices: AuditNotices;
  /** Called when a new file was begun; never rejects. Older files are deleted only when it resolves to true. */
  readonly onNewFile: () => Promise<boolean>;
}

/**
 * How long a check of the file's place is good for, milliseconds: while many records come, each
 * group's own check is enough.
 */
const CHECK_MS = 20;

/**
 * Keeps the audit file ready for writing: checks that it is in its place, rotates it, and begins a
 * new file after damage. Calls must not overlap; its own retries wait for their turn.
 */
export class AuditFileMaintenance {
  readonly #parts: MaintenanceParts;
  readonly #file: AuditFile;
  /** Runs a task when nothing else uses the file. */
  readonly #enqueue: (task: () => Promise<void>) => void;
  readonly #retry: RetryTimer;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: MaintenanceParts, enqueue: (task: () => Promise<void>) => void) {
    this.#parts = parts;
    this.#file = parts.file;
    this.#enqueue = enqueue;
    this.#retry = new RetryTimer(() => this.#enqueue(() => this.#recover(false)));
  }

  /** Notices what another program did to the file, and repairs it where it can be repaired. */
  async check(): Promise<void> {
    if (this.#file.damage !== null) return;
    if (performance.now() - this.#checkedAt > CHECK_MS) await this.#checkPlace();
  }

  /**
   * Makes the file ready for more lines: what another program did to it concerns no record that
   * comes now. Where that fails, the file is damaged.
   */
  async prepare(): Promise<void> {
    await this.check();
    const reason = this.#file.damage === null ? this.#parts.rotation.dueReason(this.#file) : null;
    if (reason !== null) await this.#rotate(reason);
  }

  /**
   * Appends lines durably.
   * @param onDurable called in the very turn in which the file's `head` moves
   * @returns null when they are durable, else why not
   */
  async write(lines: string, head: ChainHead, onDurable: () => void): Promise<AuditUnavailableError | null> {
    try {
      const place = await this.#file.write(lines, head, onDurable);
      this.#checkedAt = place === 'in place' ? performance.now() : Number.NEGATIVE_INFINITY;
      return null;
    } catch (error) {
      this.#startRecovery();
      return error as AuditUnavailableError;
    }
  }

  /** An operator has moved the file, or knows of its damage. */
  async reopen(): Promise<void> {
    if (this.#file.damage !== null) return this.#recover(true);
    await this.#checkPlace();
  }

  /** Ends its own retries. */
  stop(): void {
    this.#retry.stop();
  }

  async #checkPlace(): Promise<void> {
    this.#checkedAt = performance.now();
    try {
      if ((await this.#file.check()) === 'moved') await this.#rotate('reopened');
    } catch {
      this.#startRecovery();
      // What another program did can often be mended at once, before anything is refused.
      if (this.#file.damage?.kind !== 'write-error') await this.#recover(false);
    }
  }

  async #rotate(reason: SegmentReason): Promise<void> {
    const { notices, rotation } = this.#parts;
    const from = this.#file.head.seq;
    try {
      await this.#file.continueInNewFile(reason);
      notices.newFile(this.#file.path, reason, from);
      void this.#pruneOnceSaved();
    } catch (cause) {
      if (this.#file.damage !== null) return this.#startRecovery();
      rotation.postpone();
      notices.notRotated(this.#file.path, cause);
    }
  }

  /** Files are deleted only when what they say of usage is saved elsewhere. */
  async #pruneOnceSaved(): Promise<void> {
    const { rotation, notices, onNewFile } = this.#parts;
    if (await onNewFile()) await rotation.prune(this.#file.path, notices);
  }

  /** Records are refused from now on, until an attempt succeeds. */
  #startRecovery(): void {
    const { damage } = this.#file;
    if (damage === null) return;
    this.#parts.notices.damaged(this.#file.path, damage.error);
    this.#retry.begin();
  }

  async #recover(isOrdered: boolean): Promise<void> {
    const { damage, path } = this.#file;
    if (damage === null) return;
    const { notices, onNewFile } = this.#parts;
    try {
      if (!(await this.#file.recover(isOrdered))) {
        notices.damaged(path, this.#file.damage?.error ?? damage.error);
        return this.#retry.later();
      }
      this.#retry.cancel();
      notices.recovered(path, damage.kind);
      void onNewFile();
      this.#checkedAt = performance.now();
    } catch (cause) {
      notices.notRecovered(path, cause);
      this.#retry.later();
    }
  }
}
