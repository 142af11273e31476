/** One who waits. */
interface Waiter {
  /** When the wait ends without success, on the clock of `performance.now()`. */
  readonly until: number;
  readonly end: (isServed: boolean) => void;
}

/** A place in a {@link WaitLine}. */
export interface PlaceInLine {
  /** True when it was its turn in time, false when it waited too long or gave up. */
  readonly served: Promise<boolean>;
  /** Gives the place up. */
  leave(): void;
}

/** A line with an end: so many wait at most, none longer than a set time, and who came first is served first. */
export class WaitLine {
  readonly #maxLength: number;
  readonly #maxWaitMs: number;
  /** In the order in which they came, which is that of their time limits too. */
  readonly #waiting = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(maxLength: number, maxWaitMs: number) {
    this.#maxLength = maxLength;
    this.#maxWaitMs = maxWaitMs;
  }

  /** How many wait. */
  get length(): number {
    return this.#waiting.size;
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#maxLength;
  }

  /** Takes the last place; null when the line is full. */
  join(): PlaceInLine | null {
    if (this.isFull) return null;
    let leave = () => {};
    const served = new Promise<boolean>((resolve) => {
      const waiter: Waiter = { until: performance.now() + this.#maxWaitMs, end: resolve };
      this.#waiting.add(waiter);
      leave = () => this.#end(waiter, false);
    });
    this.#watchFirst();
    return { served, leave };
  }

  /** Serves the one who came first, if there is one. */
  serveNext(): void {
    const [first] = this.#waiting;
    if (first !== undefined) this.#end(first, true);
  }

  #end(waiter: Waiter, isServed: boolean): void {
    if (!this.#waiting.delete(waiter)) return;
    waiter.end(isServed);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One timer for all: the first is the first whose time is over. */
  #watchFirst(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#timer !== undefined) return;
    const left = Math.max(0, Math.ceil(first.until - performance.now()));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const now = performance.now();
      for (const waiter of this.#waiting) {
        if (waiter.until > now) break;
        this.#end(waiter, false);
      }
      this.#watchFirst();
    }, left).unref();
  }
}
