import type { Clock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { AuditEntry } from '../model/audit-entry.ts';

/** Time between two lines of the log about records that could not be written, milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Logs audit records that could not be written: the first at once, then one line a minute with the
 * number since the last.
 */
export class AuditFaultLog {
  readonly #log: ServiceLog;
  readonly #clock: Clock;
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** Failures since the last line. */
  #failed = 0;

  constructor(log: ServiceLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** The record of this entry could not be written. */
  failed({ event, correlationId }: AuditEntry, cause: unknown): void {
    this.#failed += 1;
    if (!this.#isDue()) return;
    this.#log.error('Audit records could not be written; nothing that needs one is released.', {
      failed: this.#take(),
      event,
      correlationId,
      cause,
    });
  }

  /**
   * A record was written: failures that no line has counted yet are logged when the minute is over.
   */
  succeeded(): void {
    if (this.#failed === 0 || !this.#isDue()) return;
    this.#log.info('Audit records are written again.', { failed: this.#take() });
  }

  #isDue(): boolean {
    return this.#clock.monotonic() - this.#loggedAt >= INTERVAL_MS;
  }

  #take(): number {
    const failed = this.#failed;
    this.#failed = 0;
    this.#loggedAt = this.#clock.monotonic();
    return failed;
  }
}
