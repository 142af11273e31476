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
 * Of any number of claims to one key at the same time, an adapter MUST answer `new` to one at the most, and MUST go on answering `seen` until its `until`. It MUST NOT forget a key before that: where it has no
 * room, or can't reach what it keeps keys in, it answers `unavailable`; where it may have forgotten keys that were made at that time, `too-old`. It MUST NOT throw. It MAY remember longer, and MAY answer `too-old` for
 * what was made before it began.
 */
export interface ReplayGuard {
  claim(key: ReplayKey): Promise<ReplayClaim>;

  /** Why claims can't be answered now, for operators; null when they can. */
  fault(): Promise<string | null>;
}
