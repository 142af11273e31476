/**
 * What came of a claim. `new`: nobody has claimed it. `seen`: somebody has. `too-old`: that can't be told any more, or never could. `unavailable`: that can't be told now.
 */
export type ReplayClaim = 'new' | 'seen' | 'too-old' | 'unavailable';

/** A claim to something that may come once. */
export interface ReplayKey {
  /** 32 bytes; two that are the same are one. */
  readonly key: Uint8Array;
  /** When what it stands for was made, milliseconds since 1970-01-01T00:00:00Z. */
  readonly madeAt: number;
  /** When it is refused for its age alone, milliseconds since 1970-01-01T00:00:00Z. */
  readonly until: number;
}

/**
 * Sees to it that what may come once comes once.
 *
 * Of any number of claims to one key at the same time, an adapter MUST answer `new` to one at the
 * most, and MUST go on answering `seen` until its `until`. It MUST NOT forget a key before that:
 * without room, or without access to its keys, it answers `unavailable`.
 *
 * It MUST NOT answer `new` to a key made at a time of which it may not know all keys, because it
 * forgot them or they were claimed before it began. Clients' clocks may be ahead, so these times
 * end no sooner than the time window after it began. It answers `unavailable` while keys made now
 * are concerned, and `too-old` after that. It MUST NOT throw. It MAY remember longer.
 */
export interface ReplayGuard {
  claim(key: ReplayKey): Promise<ReplayClaim>;

  /** Why claims can't be answered now, for operators; null when they can. */
  fault(): Promise<string | null>;
}
