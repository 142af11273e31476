import type { AuditCheckpoint } from '../../../domain/model/audit-entry.ts';
import type { CheckpointCopyReport } from '../../../domain/services/status-service.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { settleWithin } from '../../node/settle-within.ts';

/** A second place for checkpoints, away from the audit file. */
export interface CheckpointTarget {
  /** Name of the setting that selects it. */
  readonly setting: string;
  /** Printable, without secrets. */
  readonly place: string;
  /** Resolves when the place has it. @throws Error with the reason otherwise */
  save(checkpoint: AuditCheckpoint): Promise<void>;
}

/** Time between attempts, milliseconds. */
const INTERVAL_MS = 60_000;
/** Maximum time for the last checkpoint at a stop, milliseconds. */
const CLOSE_MS = 2000;

/**
 * Copies checkpoints to one place: the newest once a minute, and the last one at the close. One
 * attempt at a time; a failed one is logged and repeated a minute later with the checkpoint that is
 * then the newest. Never delays or fails a record.
 */
export class CheckpointCopy {
  readonly #target: CheckpointTarget;
  readonly #log: ServiceLog;
  readonly #intervalMs: number;
  #newest: AuditCheckpoint | null = null;
  #saved: AuditCheckpoint | null = null;
  #failures = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** @param intervalMs between attempts, milliseconds */
  constructor(target: CheckpointTarget, log: ServiceLog, intervalMs = INTERVAL_MS) {
    this.#target = target;
    this.#log = log;
    this.#intervalMs = intervalMs;
  }

  get state(): CheckpointCopyReport {
    const { setting, place } = this.#target;
    return { setting, place, seq: this.#saved?.seq ?? null, failures: this.#failures };
  }

  /** Takes the checkpoint of a durable record. Never throws. */
  offer(checkpoint: AuditCheckpoint): void {
    this.#newest = checkpoint;
    this.#schedule();
  }

  /** Saves the newest checkpoint unless it is saved; waits two seconds at most. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await settleWithin(CLOSE_MS, this.#finish(), () => undefined);
  }

  async #finish(): Promise<void> {
    await this.#running;
    if (this.#newest !== this.#saved) await this.#save();
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== null || this.#running !== null || this.#newest === this.#saved) return;
    const waitMs = this.#startedAt + this.#intervalMs - performance.now();
    if (waitMs <= 0) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), waitMs).unref();
  }

  #begin(): void {
    this.#timer = null;
    this.#running = this.#save().finally(() => {
      this.#running = null;
      this.#schedule();
    });
  }

  async #save(): Promise<void> {
    const checkpoint = this.#newest;
    if (checkpoint === null) return;
    this.#startedAt = performance.now();
    const { setting, place } = this.#target;
    try {
      await this.#target.save(checkpoint);
      this.#saved = checkpoint;
      if (this.#failures > 0) this.#log.info('Audit checkpoints are saved again.', { setting, place });
      this.#failures = 0;
    } catch (cause) {
      this.#failures += 1;
      this.#log.error('The audit checkpoint was not saved in its second place; the next attempt is in a minute.', {
        setting,
        place,
        seq: checkpoint.seq,
        failures: this.#failures,
        cause,
      });
    }
  }
}

/** All second places of checkpoints. */
export class CheckpointCopies {
  readonly #copies: readonly CheckpointCopy[];

  constructor(targets: readonly CheckpointTarget[], log: ServiceLog) {
    this.#copies = targets.map((target) => new CheckpointCopy(target, log));
  }

  get states(): readonly CheckpointCopyReport[] {
    return this.#copies.map(({ state }) => state);
  }

  /** See {@link CheckpointCopy.offer}. */
  offer(checkpoint: AuditCheckpoint): void {
    for (const copy of this.#copies) copy.offer(checkpoint);
  }

  /** See {@link CheckpointCopy.close}. */
  async close(): Promise<void> {
    await Promise.all(this.#copies.map((copy) => copy.close()));
  }
}
