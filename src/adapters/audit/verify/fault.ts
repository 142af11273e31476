import type { AuditFailure } from '../../../domain/model/audit-verdict.ts';
import { isSystemError } from '../../files/system-error-code.ts';
import { CompressionError } from '../segments/segment-reader.ts';
import { toReadError } from './external-files.ts';

/** Ends a verification: the first thing that does not verify. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly failure: AuditFailure;

  /**
   * @param file printable path
   * @param line from 1; null for the file as a whole
   * @param message predicate to file and line, without full stop
   */
  constructor(file: string, line: number | null, message: string) {
    super(message);
    this.failure = { file, line, message };
  }
}

/** Turns an error of reading into a Fault or an OperatorError; others stay as they are. */
export function toVerificationError(name: string, error: unknown): unknown {
  if (error instanceof CompressionError) return new Fault(name, null, error.message);
  return isSystemError(error) ? toReadError('audit file', name, error) : error;
}
