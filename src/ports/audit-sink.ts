import type { AuditCheckpoint, AuditEntry, AuditHead } from '../domain/model/audit-entry.ts';
import type { JsonObject } from '../domain/model/json.ts';

/**
 * Durable storage of audit entries.
 *
 * An adapter MUST resolve `append` only when all its entries are durable (survive SIGKILL and power
 * loss), MUST keep their order and the order of the calls, MUST reject with AuditUnavailableError
 * when it can't write or takes too long, and MUST bound its queue. Before `append` resolves, it
 * MUST give each durable entry once, in order, to the UsageLedger; also one whose `append` it
 * rejected for taking too long. It MAY write entries in groups.
 */
export interface AuditSink {
  append(...entries: readonly AuditEntry[]): Promise<void>;

  /** False while the sink cannot write; recovers automatically. */
  readonly available: boolean;

  /**
   * Checks whether a record could be written now: null, or sentences for operators that say why
   * not, such as a full disk, or what they have to confirm. MUST resolve within a second and MUST
   * NOT reject; MAY be a quarter of a second old. Cheap to call.
   */
  probe(): Promise<string | null>;

  /** The last durable entry, numbered from 1; 0 and null before the first. */
  readonly head: AuditHead;

  /**
   * This process's last durable checkpoint; null before the first, and where the sink signs none.
   */
  readonly checkpoint: AuditCheckpoint | null;

  /** Entries waiting to be durable. */
  readonly queued: number;

  /** Facts for auditors at start: the public key that signs, and repairs. */
  readonly facts: JsonObject;

  /**
   * Continues in a new file on the operator's order, which also confirms what other programs did,
   * and retries a failed write at once. Never rejects.
   */
  reopen(): Promise<void>;

  /** Makes appended entries durable, then closes; `append` rejects afterwards. Idempotent. */
  close(): Promise<void>;
}
