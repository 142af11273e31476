import type { SegmentReason } from '../../../audit-trail/segment.ts';
import type { Checkpoint } from '../../../audit-trail/signed-record.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { UnsignedTail } from './torn-tail.ts';

/** How often a checkpoint, or the same trouble, is logged, milliseconds. */
const INTERVAL_MS = 60_000;

/** Logs what happens to the audit file, and keeps its newest checkpoint. */
export class AuditNotices {
  readonly #log: ServiceLog;
  readonly #clock: Clock;
  #checkpointAt = Number.NEGATIVE_INFINITY;
  #checkpoint: Checkpoint | null = null;
  #isCheckpointLogged = true;
  #trouble = '';
  #troubleAt = Number.NEGATIVE_INFINITY;
  #copyTroubleAt = Number.NEGATIVE_INFINITY;

  constructor(log: ServiceLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
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

  /** The last signed head that was made durable; null before the first. */
  get checkpoint(): Checkpoint | null {
    return this.#checkpoint;
  }

  /**
   * A group of records became durable. One checkpoint a minute is logged: kept on another machine,
   * it proves what is cut off later.
   */
  signed(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint;
    this.#isCheckpointLogged = false;
    if (this.#clock.monotonic() - this.#checkpointAt >= INTERVAL_MS) this.logCheckpoint();
  }

  /** Logs the newest checkpoint, unless that is logged already. */
  logCheckpoint(): void {
    if (this.#checkpoint === null || this.#isCheckpointLogged) return;
    const { instanceId, seq, time, hash, sig } = this.#checkpoint;
    this.#log.info('Audit checkpoint.', { instanceId, seq, time, hash, sig });
    this.#isCheckpointLogged = true;
    this.#checkpointAt = this.#clock.monotonic();
  }

  newFile(file: string, reason: SegmentReason, lastRecord: number): void {
    this.#log.info('A new audit file was begun.', { file, reason, lastRecordBefore: lastRecord });
  }

  notRotated(file: string, cause: unknown): void {
    this.#log.error('The audit file could not be rotated; it goes on, and the next try is in a minute.', {
      file,
      cause,
    });
  }

  deleted(file: string, kept: number): void {
    this.#log.info('An old audit file was deleted (SIGNING_AUDIT_KEEP_FILES).', { file, kept });
  }

  notPruned(file: string, cause: unknown): void {
    this.#log.error('Old audit files could not be deleted (SIGNING_AUDIT_KEEP_FILES).', { file, cause });
  }

  damaged(file: string, error: AuditUnavailableError): void {
    this.#logTrouble(error.message, { file, cause: error.cause });
  }

  notRecovered(file: string, cause: unknown): void {
    const what = cause instanceof Error ? cause.message : String(cause);
    this.#logTrouble(`The audit file still can not be written: ${what}`, { file, cause });
  }

  recovered(file: string, from: string): void {
    this.#trouble = '';
    this.#log.info('The audit file can be written again; signing goes on.', { file, after: from });
  }

  stuck(error: AuditUnavailableError, refused: number): void {
    this.#logTrouble(error.message, { refused });
  }

  unstuck(file: string): void {
    this.#trouble = '';
    this.#log.info('The disk of the audit file answers again; signing goes on.', { file });
  }

  notClosed(file: string, cause: unknown): void {
    this.#log.warn('The audit file did not close cleanly; the records that were acknowledged are durable.', {
      file,
      cause,
    });
  }

  notCopied(cause: unknown): void {
    this.#logCopyTrouble('A further transport of audit records failed; the audit file has them all.', { cause });
  }

  copyBehind(waiting: number): void {
    const facts = { waiting };
    this.#logCopyTrouble(
      'A further transport of audit records is too slow and misses some; the audit file has them all.',
      facts,
    );
  }

  /** At most once a minute: it may come with every record. */
  #logCopyTrouble(message: string, facts: { readonly [name: string]: unknown }): void {
    const now = this.#clock.monotonic();
    if (now - this.#copyTroubleAt < INTERVAL_MS) return;
    this.#copyTroubleAt = now;
    this.#log.error(message, facts);
  }

  /** The same trouble is logged once a minute, not with each attempt. */
  #logTrouble(message: string, facts: { readonly [name: string]: unknown }): void {
    const now = this.#clock.monotonic();
    if (message === this.#trouble && now - this.#troubleAt < INTERVAL_MS) return;
    this.#trouble = message;
    this.#troubleAt = now;
    this.#log.error(message, facts);
  }
}
