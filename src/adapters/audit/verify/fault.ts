import type { AuditFailure } from '../../../domain/model/audit-verdict.ts';

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
