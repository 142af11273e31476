import type { AuditCheckpoint } from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { Facts, ServiceLog } from '../../../ports/service-log.ts';
import type { SegmentReason } from '../record/segment.ts';
import type { UnsignedTail } from './chain-end.ts';
import type { OpenedChain } from './open-chain.ts';

const FAILURE = { topic: 'audit file' };

/** Logs events of the audit file, checkpoints and repeated errors at most once a minute. */
export class AuditFileLog {
  readonly #log: ServiceLog;
  #checkpoint: AuditCheckpoint | null = null;

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** The chain is open, but its first record may not be written. */
  chainOpened({ auditFile, segment, head, begin, unsignedTails }: OpenedChain, publicKey: Uint8Array): void {
    for (const tail of unsignedTails) this.#unsigned(`${auditFile}.torn`, tail);
    if (begin === 'missing') {
      this.#log.warn(
        'No audit file found: all were moved while the service was stopped. The chain continues after the last known record.',
        { file: auditFile, noted: `${auditFile}.usage` },
      );
    }
    const auditPublicKey = Buffer.from(publicKey).toString('base64');
    this.#log.info('Audit file opened.', { file: segment.path, records: head.seq, auditPublicKey });
  }

  #unsigned(movedTo: string, { segment, bytes, records, firstRecord }: UnsignedTail): void {
    const facts = { file: segment.path, movedTo, bytes };
    if (records === 0) {
      this.#log.warn(
        'The audit file ended with a torn record that was never acknowledged; it was moved to the .torn file.',
        facts,
      );
      return;
    }
    this.#log.warn(
      'The audit file ended with unsigned records that were never acknowledged; they were moved to the .torn file. A crash can leave such records; otherwise another program wrote them.',
      { ...facts, records, firstRecord, lastRecord: firstRecord + records - 1 },
    );
  }

  /** The last durable signed head; null before the first. */
  get checkpoint(): AuditCheckpoint | null {
    return this.#checkpoint;
  }

  /** Takes the checkpoint of a durable group. A copy elsewhere proves later truncation. */
  signed(checkpoint: AuditCheckpoint): void {
    this.#checkpoint = checkpoint;
    const { instanceId, seq, time, hash, sig } = checkpoint;
    this.#log.info('Audit checkpoint.', { instanceId, seq, time, hash, sig }, { topic: 'audit checkpoints' });
  }

  newFile(file: string, reason: SegmentReason, lastRecord: number): void {
    this.#log.info('New audit file started.', { file, reason, lastRecordBefore: lastRecord });
  }

  rotationFailed(file: string, cause: unknown): void {
    const message =
      'The next audit file cannot be created; records still go to the current one. A rotation that is due is tried again in a minute.';
    this.#log.error(message, { file, cause });
  }

  deleted(file: string, kept: number): void {
    this.#log.info('Old audit file deleted (SIGNING_AUDIT_KEEP_FILES).', { file, kept });
  }

  pruneFailed(file: string, cause: unknown): void {
    const message = 'Failed to delete old audit files (SIGNING_AUDIT_KEEP_FILES).';
    this.#log.error(message, { file, cause }, { topic: 'old audit files' });
  }

  failed(file: string, error: AuditUnavailableError): void {
    this.#logFailure(error.message, { file, cause: error.cause });
  }

  recoveryFailed(file: string, cause: unknown): void {
    const what = cause instanceof Error ? cause.message : String(cause);
    this.#logFailure(`The audit file still cannot be written: ${what}`, { file, cause });
  }

  recovered(file: string, from: string): void {
    this.#log.recovered('The audit file is writable again; signing resumes.', { file, after: from }, FAILURE);
  }

  commitTimedOut(error: AuditUnavailableError, refused: number): void {
    this.#logFailure(error.message, { refused });
  }

  commitResumed(file: string): void {
    this.#log.recovered('The disk of the audit file responds again; signing resumes.', { file }, FAILURE);
  }

  closeFailed(file: string, cause: unknown): void {
    this.#log.warn('The audit file did not close cleanly; acknowledged records are durable.', {
      file,
      cause,
    });
  }

  notSaved(file: string, cause: unknown): void {
    const message =
      'Another program removed or moved the audit file, and its records could not be saved: they are on no other file of the service.';
    this.#log.error(message, { file, cause });
  }

  nameTaken(path: string): void {
    this.#log.warn('Another program has a file with the name of the next audit file, which gets another name.', {
      file: path,
    });
  }

  currentNameFailed(file: string, segment: string, cause: unknown): void {
    const message =
      'The name of the audit file could not be made a link to the newest one; readers of that name miss records. Signing is not affected.';
    this.#log.warn(message, { file, newest: segment, cause }, { topic: 'current audit file' });
  }

  #logFailure(message: string, facts: Facts): void {
    this.#log.error(message, facts, { ...FAILURE, cause: message });
  }
}
