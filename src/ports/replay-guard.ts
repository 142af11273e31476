import type { AuditHead } from '../domain/model/audit-entry.ts';

/** Result of a claim. `too-old`: can no longer be decided; `unavailable`: not now. */
export type ReplayClaimResult = 'new' | 'seen' | 'too-old' | 'unavailable';

/** Something that may be claimed once. */
export interface ReplayKey {
  /** 32 bytes; identifies it. */
  readonly key: Uint8Array;
  /** When it was made, milliseconds since 1970-01-01T00:00:00Z. */
  readonly madeAt: number;
  /** When it expires by age alone, milliseconds since 1970-01-01T00:00:00Z. */
  readonly until: number;
}

/**
 * Detects replays.
 *
 * Of concurrent claims to one key, an adapter MUST return `new` to at most one, and `seen` until
 * its `until`. It MUST NOT forget a key earlier: without room, or without access to its keys, it
 * returns `unavailable`.
 *
 * It MUST NOT return `new` to a key made at a time of which it may lack keys, forgotten or claimed
 * before it started. Clients' clocks may be ahead, so these times end no sooner than the time
 * window after its start, unless the process before it kept its keys at its {@link close}. It
 * returns `unavailable` while they include keys made now, and `too-old` after that. It MUST NOT
 * throw. It MAY remember longer.
 */
export interface ReplayGuard {
  /**
   * Prepares for claims. Never rejects.
   * @param head the last audit record before this start. Each run adds records, so this is the head
   * that the last process had at its {@link close}, unless it was killed.
   */
  start(head: AuditHead): Promise<void>;

  claim(key: ReplayKey): Promise<ReplayClaimResult>;

  /** Why claims cannot be decided now, for operators; null if they can. */
  unavailability(): Promise<string | null>;

  /**
   * Keeps what the next start needs; later claims are unavailable. Never rejects.
   * @param head the last audit record of this run
   */
  close(head: AuditHead): Promise<void>;
}
