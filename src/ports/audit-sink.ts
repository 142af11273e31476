import type { AuditEntry } from '../domain/model/audit-entry.ts';

/**
 * Where audit entries become facts.
 *
 * An adapter MUST resolve `append` only when the entry is durable (it survives SIGKILL and power loss right after), MUST keep
 * entries in the order of the calls, MUST reject with AuditUnavailableError when it can't, and MUST bound what it queues.
 * It MAY write several entries at once.
 */
export interface AuditSink {
  append(entry: AuditEntry): Promise<void>;

  /** False from the first failed write until the sink can write again. */
  readonly available: boolean;

  /** Makes durable what was appended, then closes. Afterwards `append` rejects. Safe to call twice. */
  close(): Promise<void>;
}
