import type { AuditCheckpoint } from '../../../domain/model/audit-entry.ts';
import type { CheckpointCopyReport } from '../../../domain/model/service-state.ts';
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
 * Copies checkpoints to one place: the first at once, then the newest once a minute, and the last
 * one at the close. One attempt at a time; a failed one is logged, and the next one has the
 * checkpoint that is then the newest. Never delays or fails a record.
 */
export class CheckpointCopy {
  readonly #target: CheckpointTarget;
  readonly #log: ServiceLog;
  readonly #timer: NodeJS.Timeout;
  #newest: AuditCheckpoint | null = null;
  #saved: AuditCheckpoint | null = null;
  #failures = 0;
  #saving: Promise<void> | null = null;

  /** @param intervalMs between attempts, milliseconds */
  constructor(target: CheckpointTarget, log: ServiceLog, intervalMs = INTERVAL_MS) {
    this.#target = target;
    this.#log = log;
    this.#timer = setInterval(() => void this.#save(), intervalMs).unref();
  }

  get state(): CheckpointCopyReport {
    const { setting, place } = this.#target;
    return { setting, place, seq: this.#saved?.seq ?? null, failures: this.#failures };
  }

  /** Takes the checkpoint of a durable record. Never throws. */
  offer(checkpoint: AuditCheckpoint): void {
    const isFirst = this.#newest === null;
    this.#newest = checkpoint;
    if (isFirst) void this.#save();
  }

  /** Saves the newest checkpoint unless it is saved; waits two seconds at most. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await settleWithin(CLOSE_MS, this.#finish(), () => undefined);
  }

  async #finish(): Promise<void> {
    await this.#saving;
    await this.#save();
  }

  /** Joins an attempt that is under way. */
  #save(): Promise<void> {
    this.#saving ??= this.#saveNewest().finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  async #saveNewest(): Promise<void> {
    const checkpoint = this.#newest;
    if (checkpoint === null || checkpoint === this.#saved) return;
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
