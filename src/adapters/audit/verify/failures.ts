import type { AuditFailure } from '../../../domain/model/audit-verdict.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { formatReadError } from '../segments/segment-reader.ts';

/* How a verification ends early: the files do not verify, or cannot be read. */

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

/**
 * The error for a file that cannot be opened or read.
 * @param what kind of file: `audit file`
 * @throws the error itself if it is a bug
 */
export function toReadError(what: string, path: string, error: unknown): OperatorError {
  return new OperatorError(`The ${what} ${printable(path)} ${formatReadError(error)}.`, { cause: error });
}
