import type { AuditEntry } from '../domain/model/audit-entry.ts';
import type { JsonObject } from '../domain/model/json.ts';

/** How far the record reaches. */
export interface AuditHead {
  readonly seq: number;
  /** `sha256:<64 hex>` of the last record; null before the first, and where the sink makes none. */
  readonly hash: string | null;
}

/**
 * A signed head of the record (docs/AUDIT_FORMAT.md), to be kept elsewhere: it proves that this
 * record, and with it every record before it, was written.
 */
export interface AuditCheckpoint {
  /** The process that wrote the record. */
  readonly instanceId: string;
  readonly seq: number;
  /** When the record was made, ISO 8601 UTC. */
  readonly time: string;
  /** `sha256:<64 hex>` of the record's line up to its signature. */
  readonly hash: string;
  /** Ed25519 signature of the audit key, base64 of 64 bytes. */
  readonly sig: string;
}

/**
 * Where audit entries become facts.
 *
 * An adapter MUST resolve `append` only when the entry is durable (it survives SIGKILL and power loss right after), MUST keep
 * entries in the order of the calls, MUST reject with AuditUnavailableError when it can't or when that takes too long, and MUST bound what it queues.
 * It MUST give each entry that became durable to the UsageLedger, once, in order, before `append` resolves; also one whose `append` was rejected because it took too long.
 * It MAY write several entries at once.
 */
export interface AuditSink {
  append(entry: AuditEntry): Promise<void>;

  /** False while the sink can't write; it comes back by itself where it can. */
  readonly available: boolean;

  /**
   * Finds out whether a record could be written now, without writing one: null, or one sentence or more that say to operators why not. It tells of what happened since the last record, such as a disk
   * that became full. It MUST resolve within a second whatever the disk does, and MUST NOT reject; its answer MAY be a quarter of a second old. Ask it as often as you like.
   */
  probe(): Promise<string | null>;

  /** The last entry that became durable: its number, from 1, and what the sink proves it with; 0 and null before the first. */
  readonly head: AuditHead;

  /**
   * The last checkpoint that this process made durable; null before its first, and where the sink
   * signs none.
   */
  readonly checkpoint: AuditCheckpoint | null;

  /** Entries that wait to be durable. */
  readonly queued: number;

  /** What auditors want to know of the record itself when the service starts: the public key that signs it, what had to be repaired. */
  readonly facts: JsonObject;

  /** Goes on in a new file where the operator has moved the old one, and tries again at once where it could not write. Never rejects. */
  reopen(): Promise<void>;

  /** Makes durable what was appended, then closes. Afterwards `append` rejects. Safe to call twice. */
  close(): Promise<void>;
}
