import { LogThrottle } from '../../../domain/flow/log-throttle.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { UnsignedTail } from '../file/file-tail.ts';
import type { SegmentReason } from '../record/segment.ts';
import type { Checkpoint } from '../record/signed-record.ts';

/** Logs events of the audit file, checkpoints and repeated errors at most once a minute. */
export class AuditFileLog {
  readonly #log: ServiceLog;
  readonly #checkpoints: LogThrottle;
  readonly #failures: LogThrottle;
  readonly #copyFailures: LogThrottle;
  #checkpoint: Checkpoint | null = null;

  constructor(log: ServiceLog, clock: Clock) {
    this.#log = log;
    this.#checkpoints = new LogThrottle(clock);
    this.#failures = new LogThrottle(clock);
    this.#copyFailures = new LogThrottle(clock);
  }

  opened(file: string, records: number, publicKey: Uint8Array): void {
    const auditPublicKey = Buffer.from(publicKey).toString('base64');
    this.#log.info('The audit file is open.', { file, records, auditPublicKey });
  }

  missing(file: string): void {
    this.#log.warn(
      'No audit file was found: all were moved while the service was stopped. Records go on behind the one that was noted then.',
      { file, noted: `${file}.usage` },
    );
  }

  unsigned(file: string, { bytes, records }: UnsignedTail): void {
    const facts = { file, movedTo: `${file}.torn`, bytes };
    if (records === null) {
      this.#log.warn('The audit file ended in a torn record that was never acknowledged; it was moved aside.', facts);
      return;
    }
    const { first, last } = records;
    this.#log.warn(
      'The audit file ended in records behind its last signed one. They were never acknowledged, and moved aside: a crash leaves some, or another program wrote them.',
      { ...facts, records: last - first + 1, firstRecord: first, lastRecord: last },
    );
  }

  /** The last durable signed head; null before the first. */
  get checkpoint(): Checkpoint | null {
    return this.#checkpoint;
  }

  /** Takes the checkpoint of a durable group. A copy elsewhere proves later truncation. */
  signed(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint;
    if (this.#checkpoints.occurred() > 0) this.#logCheckpoint(checkpoint);
  }

  /** Logs the newest checkpoint unless already logged. */
  logCheckpoint(): void {
    if (this.#checkpoint !== null && this.#checkpoints.flush() > 0) this.#logCheckpoint(this.#checkpoint);
  }

  newFile(file: string, reason: SegmentReason, lastRecord: number): void {
    this.#log.info('A new audit file was begun.', { file, reason, lastRecordBefore: lastRecord });
  }

  rotationFailed(file: string, cause: unknown): void {
    this.#log.error('The audit file could not be rotated; it goes on, and the next try is in a minute.', {
      file,
      cause,
    });
  }

  deleted(file: string, kept: number): void {
    this.#log.info('An old audit file was deleted (SIGNING_AUDIT_KEEP_FILES).', { file, kept });
  }

  pruneFailed(file: string, cause: unknown): void {
    this.#log.error('Old audit files could not be deleted (SIGNING_AUDIT_KEEP_FILES).', { file, cause });
  }

  failed(file: string, error: AuditUnavailableError): void {
    this.#logFailure(error.message, { file, cause: error.cause });
  }

  recoveryFailed(file: string, cause: unknown): void {
    const what = cause instanceof Error ? cause.message : String(cause);
    this.#logFailure(`The audit file still can not be written: ${what}`, { file, cause });
  }

  recovered(file: string, from: string): void {
    this.#failures.end();
    this.#log.info('The audit file can be written again; signing goes on.', { file, after: from });
  }

  commitTimedOut(error: AuditUnavailableError, refused: number): void {
    this.#logFailure(error.message, { refused });
  }

  commitResumed(file: string): void {
    this.#failures.end();
    this.#log.info('The disk of the audit file answers again; signing goes on.', { file });
  }

  closeFailed(file: string, cause: unknown): void {
    this.#log.warn('The audit file did not close cleanly; the records that were acknowledged are durable.', {
      file,
      cause,
    });
  }

  copyFailed(cause: unknown): void {
    this.#logCopyFailure('A further transport of audit records failed; the audit file has them all.', { cause });
  }

  copyLagging(waiting: number): void {
    const facts = { waiting };
    this.#logCopyFailure(
      'A further transport of audit records is too slow and misses some; the audit file has them all.',
      facts,
    );
  }

  #logCheckpoint({ instanceId, seq, time, hash, sig }: Checkpoint): void {
    this.#log.info('Audit checkpoint.', { instanceId, seq, time, hash, sig });
  }

  #logCopyFailure(message: string, facts: { readonly [name: string]: unknown }): void {
    if (this.#copyFailures.occurred() > 0) this.#log.error(message, facts);
  }

  #logFailure(message: string, facts: { readonly [name: string]: unknown }): void {
    if (this.#failures.occurred(message) > 0) this.#log.error(message, facts);
  }
}
