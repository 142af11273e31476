import type { Clock } from '../../ports/clock.ts';

interface Waiting<Task, Result> {
  readonly task: Task;
  resolve(result: Result | PromiseLike<Result>): void;
  reject(error: unknown): void;
}

/**
 * Runs together, in their order, the tasks of all requests that arrive in one turn of the event
 * loop: what they have in common is then done once for all. Under load dozens arrive in a turn,
 * since the record of one group of signatures releases as many callers; a task that is alone waits
 * for the end of its own turn only.
 */
export class MicroBatcher<Task, Result> {
  readonly #clock: Clock;
  readonly #run: (tasks: readonly Task[]) => readonly (Result | PromiseLike<Result>)[];
  #waiting: Waiting<Task, Result>[] = [];

  /**
   * @param run gives results for the first of the tasks, at least one, in their order; it gets the
   * others again in the next turn
   */
  constructor(clock: Clock, run: (tasks: readonly Task[]) => readonly (Result | PromiseLike<Result>)[]) {
    this.#clock = clock;
    this.#run = run;
  }

  /**
   * Resolves to the task's result, made at the end of this turn or of a later one; rejects with
   * what `run` throws.
   */
  submit(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  #schedule(): void {
    this.#clock.atEndOfTurn(() => this.#runWaiting());
  }

  #runWaiting(): void {
    const submitted = this.#waiting;
    this.#waiting = [];
    try {
      const results = this.#run(submitted.map(({ task }) => task));
      for (const [index, result] of results.entries()) submitted[index]?.resolve(result);
      this.#waiting = submitted.slice(results.length);
    } catch (error) {
      for (const { reject } of submitted) reject(error);
    }
    if (this.#waiting.length > 0) this.#schedule();
  }
}
