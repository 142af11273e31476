import type { WallClock } from '../../ports/clock.ts';
import { formatTime } from '../model/text/iso-time.ts';

/** Availability of something, for status. */
export class Outage {
  readonly #clock: WallClock;
  #since: string | null = null;
  #reason: string | null = null;

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** ISO 8601 UTC; null while it is available. */
  get since(): string | null {
    return this.#since;
  }

  /** The latest; null while it is available or the reason is unknown. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Keeps the start of an outage that lasts. */
  begin(reason: string | null): void {
    this.#since ??= formatTime(this.#clock.now());
    this.#reason = reason;
  }

  end(): void {
    this.#since = null;
    this.#reason = null;
  }
}
