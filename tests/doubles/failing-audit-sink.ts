import { AuditUnavailableError } from '../../src/domain/model/errors.ts';
import type { AuditSink } from '../../src/ports/audit-sink.ts';

/** An AuditSink that cannot write. */
export class FailingAuditSink implements AuditSink {
  readonly available = false;
  readonly facts = {};
  readonly checkpoint = null;
  readonly head = { seq: 0, hash: null };
  readonly queued = 0;

  async append(): Promise<void> {
    throw new AuditUnavailableError('The audit sink fails on purpose.');
  }

  async probe(): Promise<string> {
    return 'The audit sink fails on purpose.';
  }

  async reopen(): Promise<void> {}

  async close(): Promise<void> {}
}
