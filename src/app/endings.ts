/** How what was opened ends: in reverse order, at a stop as after a start that failed. */
export class Endings {
  readonly #endings: (() => unknown)[] = [];

  add(end: () => unknown): void {
    this.#endings.push(end);
  }

  /**
   * Runs each ending once, the last one first, and waits for it.
   * @throws the first error, after all have run
   */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let end = this.#endings.pop(); end !== undefined; end = this.#endings.pop()) {
      try {
        await end();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
