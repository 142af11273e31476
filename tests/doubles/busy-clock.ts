import { FixedClock } from './fixed-clock.ts';

/** A Clock on which every look at it takes time, so that all work is long; a test says what other work does in the turns that it gets. */
export class BusyClock extends FixedClock {
  /** How often others got a turn. */
  turns = 0;
  /** What they do then. */
  others: () => Promise<void> = async () => {};
  readonly #readingMs: number;

  /** @param readingMs how much time passes with each reading of `monotonic` */
  constructor(readingMs: number) {
    super();
    this.#readingMs = readingMs;
  }

  override monotonic(): number {
    this.advance(this.#readingMs);
    return super.monotonic();
  }

  override async yieldNow(): Promise<void> {
    this.turns += 1;
    await this.others();
    await super.yieldNow();
  }
}
