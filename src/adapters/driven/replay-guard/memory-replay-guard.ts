import { TIME_WINDOW_MS } from '../../../domain/model/authentication.ts';
import type { WallClock } from '../../../ports/clock.ts';
import type { ReplayClaim, ReplayGuard, ReplayKey } from '../../../ports/replay-guard.ts';

/** Keys at most: with 30 seconds for each, some 8700 requests in a second. */
const MAX_KEYS = 2 ** 18;

/** Keys that end within the same so many milliseconds are forgotten together. */
const SPAN_MS = 5000;

/** Keys that are forgotten together. */
interface Generation {
  readonly keys: Set<string>;
  /** When the last of them ends. */
  readonly endsAt: number;
  /** When the youngest of them was made. */
  youngest: number;
}

/**
 * A ReplayGuard in the memory of this process. The process before this one may have taken requests
 * made up to {@link TIME_WINDOW_MS} after its end, by clients whose clocks are ahead, so nothing
 * made until so long after the start is taken. Nor is anything made no later than what was
 * forgotten, so that a clock that is set back brings nothing back. Whole generations are forgotten
 * at once, which takes no time however many keys they have.
 */
export class MemoryReplayGuard implements ReplayGuard {
  readonly #clock: WallClock;
  readonly #maxKeys: number;
  readonly #generations = new Map<number, Generation>();
  #count = 0;
  /** Nothing is known of keys made until then, milliseconds since 1970-01-01T00:00:00Z. */
  #forgottenUntil: number;

  constructor(clock: WallClock, maxKeys = MAX_KEYS) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    this.#forgottenUntil = clock.now() + TIME_WINDOW_MS;
  }

  async claim({ key, madeAt, until }: ReplayKey): Promise<ReplayClaim> {
    this.#forget();
    const name = Buffer.from(key).toString('latin1');
    for (const { keys } of this.#generations.values()) if (keys.has(name)) return 'seen';
    if (madeAt <= this.#forgottenUntil) return this.#isBlind() ? 'unavailable' : 'too-old';
    if (this.#count >= this.#maxKeys) return 'unavailable';
    const generation = this.#generationOf(until);
    generation.keys.add(name);
    generation.youngest = Math.max(generation.youngest, madeAt);
    this.#count += 1;
    return 'new';
  }

  async fault(): Promise<string | null> {
    this.#forget();
    if (this.#isBlind()) {
      const until = new Date(this.#forgottenUntil).toISOString();
      return `The nonces used before this start are unknown, so that requests made until ${until} are refused. With SIGNING_REDIS_URL they outlast a restart.`;
    }
    if (this.#count < this.#maxKeys) return null;
    return `The memory for requests that must not come twice is full (${this.#maxKeys}); it empties within a minute.`;
  }

  /** Whether nothing is known of keys made now. */
  #isBlind(): boolean {
    return this.#clock.now() <= this.#forgottenUntil;
  }

  #generationOf(until: number): Generation {
    const number = Math.ceil(until / SPAN_MS);
    const generation = this.#generations.get(number) ?? {
      keys: new Set(),
      endsAt: number * SPAN_MS,
      youngest: Number.NEGATIVE_INFINITY,
    };
    this.#generations.set(number, generation);
    return generation;
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const [number, { keys, endsAt, youngest }] of this.#generations) {
      if (endsAt >= now) continue;
      this.#generations.delete(number);
      this.#count -= keys.size;
      this.#forgottenUntil = Math.max(this.#forgottenUntil, youngest);
    }
  }
}
