import type { Clock } from '../../ports/clock.ts';
import { CallerLeftError } from '../model/errors.ts';
import type { CallContext } from '../model/sign-request.ts';

interface Waiting<Task, Result> {
  readonly task: Task;
  readonly hasLeft: CallContext['hasLeft'];
  resolve(result: Result | PromiseLike<Result>): void;
  reject(error: unknown): void;
}

/**
 * Runs the tasks of requests that arrive in one event-loop tick together, in order, to share their
 * common work. Under load dozens arrive in a tick, because one group commit releases as many
 * callers.
 */
export class MicroBatcher<Task, Result> {
  readonly #clock: Clock;
  readonly #run: (tasks: readonly Task[]) => readonly (Result | PromiseLike<Result>)[];
  #waiting: Waiting<Task, Result>[] = [];

  /**
   * @param run returns results of the first tasks, at least one, in order; it gets the others in
   *   the next tick
   */
  constructor(clock: Clock, run: (tasks: readonly Task[]) => readonly (Result | PromiseLike<Result>)[]) {
    this.#clock = clock;
    this.#run = run;
  }

  /**
   * Resolves to the task's result at the end of this tick or a later one; rejects with what `run`
   * throws, or with a CallerLeftError if nobody waits for the task before its turn.
   */
  submit(task: Task, hasLeft?: CallContext['hasLeft']): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, hasLeft, resolve, reject });
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  #schedule(): void {
    this.#clock.atEndOfTick(() => this.#runWaiting());
  }

  #runWaiting(): void {
    const submitted = this.#waiting.filter(isWanted);
    this.#waiting = [];
    if (submitted.length === 0) return;
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

function isWanted({ hasLeft, reject }: Waiting<unknown, unknown>): boolean {
  if (hasLeft?.() !== true) return true;
  reject(new CallerLeftError());
  return false;
}
