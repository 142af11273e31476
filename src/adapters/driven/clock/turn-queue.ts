/** Those who wait for a turn of the event loop: one is resumed in each, first come, first served. */
export class TurnQueue {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when all who came before were resumed, and what had arrived by then has been handled. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#resumeLater();
    });
  }

  /** An immediate that is set by another one runs after the next poll for input. */
  #resumeLater(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#resumeLater();
    });
  }
}
