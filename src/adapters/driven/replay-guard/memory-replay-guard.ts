import type { Clock } from '../../../ports/clock.ts';
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
 * A ReplayGuard in the memory of this process. What was made before the guard began is `too-old`, since the process before this one may have seen it; so is what was made no later than anything that was
 * forgotten, so that a clock that is set back brings nothing back. Whole generations are forgotten at once, which takes no time however many keys they have.
 */
export class MemoryReplayGuard implements ReplayGuard {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxKeys: number;
  readonly #generations = new Map<number, Generation>();
  #count = 0;
  /** Of what was made until then, nothing is known. */
  #forgottenUntil: number;

  constructor(clock: Pick<Clock, 'now'>, maxKeys = MAX_KEYS) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    this.#forgottenUntil = clock.now();
  }

  async claim({ key, madeAt, until }: ReplayKey): Promise<ReplayClaim> {
    this.#forget();
    const name = Buffer.from(key).toString('latin1');
    for (const { keys } of this.#generations.values()) if (keys.has(name)) return 'seen';
    if (madeAt <= this.#forgottenUntil) return 'too-old';
    if (this.#count >= this.#maxKeys) return 'unavailable';
    const generation = this.#generationOf(until);
    generation.keys.add(name);
    generation.youngest = Math.max(generation.youngest, madeAt);
    this.#count += 1;
    return 'new';
  }

  async fault(): Promise<string | null> {
    this.#forget();
    if (this.#count < this.#maxKeys) return null;
    return `The memory for requests that must not come twice is full (${this.#maxKeys}); it empties within a minute.`;
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
