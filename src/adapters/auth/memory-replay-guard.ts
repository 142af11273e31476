import { TIME_WINDOW_MS } from '../../domain/model/authentication.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { ReplayClaimResult, ReplayGuard, ReplayKey } from '../../ports/replay-guard.ts';

/** About 8700 requests a second, at 30 seconds each. */
const MAX_KEYS = 2 ** 18;

/** Keys are grouped by expiry into spans of this length and dropped together. */
const SPAN_MS = 5000;

interface Generation {
  readonly keys: Set<string>;
  /** Expiry of the latest key. */
  readonly endsAt: number;
  /** When the latest key was made. */
  youngest: number;
}

/**
 * An in-memory ReplayGuard. The previous process may have accepted requests made up to {@link
 * TIME_WINDOW_MS} after its end, so none made before that are accepted after a start; nor any as
 * old as a dropped key, so that a clock set back replays nothing.
 */
export class MemoryReplayGuard implements ReplayGuard {
  readonly #clock: WallClock;
  readonly #maxKeys: number;
  readonly #generations = new Map<number, Generation>();
  #count = 0;
  /** Keys made until then are unknown, milliseconds since 1970-01-01T00:00:00Z. */
  #forgottenUntil: number;

  constructor(clock: WallClock, maxKeys = MAX_KEYS) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    this.#forgottenUntil = clock.now() + TIME_WINDOW_MS;
  }

  async claim({ key, madeAt, until }: ReplayKey): Promise<ReplayClaimResult> {
    this.#dropExpired();
    const name = Buffer.from(key).toString('latin1');
    for (const { keys } of this.#generations.values()) if (keys.has(name)) return 'seen';
    if (madeAt <= this.#forgottenUntil) return this.#isBlind() ? 'unavailable' : 'too-old';
    if (this.#count >= this.#maxKeys) return 'unavailable';
    const generation = this.#getGeneration(until);
    generation.keys.add(name);
    generation.youngest = Math.max(generation.youngest, madeAt);
    this.#count += 1;
    return 'new';
  }

  async unavailability(): Promise<string | null> {
    this.#dropExpired();
    if (this.#isBlind()) {
      const until = new Date(this.#forgottenUntil).toISOString();
      return `Nonces used before this start are unknown, so requests made until ${until} are rejected. With SIGNING_REDIS_URL nonces survive a restart.`;
    }
    if (this.#count < this.#maxKeys) return null;
    return `The nonce cache is full (${this.#maxKeys} entries); entries expire within a minute.`;
  }

  /** Whether keys made now are unknown. */
  #isBlind(): boolean {
    return this.#clock.now() <= this.#forgottenUntil;
  }

  #getGeneration(until: number): Generation {
    const number = Math.ceil(until / SPAN_MS);
    const generation = this.#generations.get(number) ?? {
      keys: new Set(),
      endsAt: number * SPAN_MS,
      youngest: Number.NEGATIVE_INFINITY,
    };
    this.#generations.set(number, generation);
    return generation;
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    for (const [number, { keys, endsAt, youngest }] of this.#generations) {
      if (endsAt >= now) continue;
      this.#generations.delete(number);
      this.#count -= keys.size;
      this.#forgottenUntil = Math.max(this.#forgottenUntil, youngest);
    }
  }
}
