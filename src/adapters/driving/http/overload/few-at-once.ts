import { type Customer, isServed } from './customer.ts';
import { WaitLine } from './wait-line.ts';

/** How many do something at once, and who waits for it. */
export interface FewLimits {
  /** Places, each for one. */
  readonly maxAtOnce: number;
  /** How many wait for one. */
  readonly maxWaiting: number;
  /** How long each of them waits, milliseconds. */
  readonly maxWaitMs: number;
}

/** A few places for work that would take too much from others if many did it at once. Who comes first has the next place. */
export class FewAtOnce {
  readonly #line: WaitLine;
  #free: number;

  constructor({ maxAtOnce, maxWaiting, maxWaitMs }: FewLimits) {
    this.#free = maxAtOnce;
    this.#line = new WaitLine(maxWaiting, maxWaitMs);
  }

  /**
   * Takes a place, now or when it is the customer's turn.
   * @returns what gives the place back, and may be called twice; null when the line is full, when it takes too long or when the customer goes away
   */
  async enter(customer: Customer): Promise<(() => void) | null> {
    if (customer.destroyed === true) return null;
    // A place that came free while others wait was handed on to one of them: it is not among the free ones.
    if (this.#free > 0) this.#free -= 1;
    else if (!(await isServed(this.#line.join(), customer))) return null;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#leave();
    };
  }

  #leave(): void {
    if (this.#line.length > 0) this.#line.serveNext();
    else this.#free += 1;
  }
}
