import { FixedClock } from './fixed-clock.ts';

/** A Clock that advances with each reading, so that all work is long; yields run `others`. */
export class BusyClock extends FixedClock {
  /** Number of yields. */
  turns = 0;
  others: () => Promise<void> = async () => {};
  readonly #readingMs: number;

  /** @param readingMs advance of each reading of `monotonic` */
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
