import type { Worker } from 'node:worker_threads';

/** Who waits for an answer. */
interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A thread whose answers are awaited one after the other. Whatever ends it, between two answers as well, ends the wait for the next one. A promise of its end is not raced against:
 * it would hold every answer until then.
 */
export class AnsweringThread {
  readonly #thread: Worker;
  /** What came before it was awaited. */
  readonly #answers: unknown[] = [];
  #waiting: Waiting | null = null;
  #end: { readonly reason: unknown } | null = null;

  constructor(thread: Worker) {
    this.#thread = thread;
    thread.on('message', (answer) => this.#receive(answer));
    thread.once('error', (error) => this.#ended(error));
    thread.once('messageerror', (error) => this.#ended(error));
    thread.once('exit', () => this.#ended(new Error('The thread that reads the credentials file has ended.')));
  }

  /** The next answer; rejects with what ended the thread. */
  answer<Answer>(): Promise<Answer> {
    const answer = new Promise<unknown>((resolve, reject) => {
      if (this.#answers.length > 0) resolve(this.#answers.shift());
      else if (this.#end !== null) reject(this.#end.reason);
      else this.#waiting = { resolve, reject };
    });
    return answer as Promise<Answer>;
  }

  /** Asks for one more answer. */
  ask(): void {
    this.#thread.postMessage('more');
  }

  /** Ends it. Safe to call twice. */
  close(): void {
    void this.#thread.terminate();
  }

  #receive(answer: unknown): void {
    const waiting = this.#take();
    if (waiting === null) this.#answers.push(answer);
    else waiting.resolve(answer);
  }

  #ended(reason: unknown): void {
    this.#end ??= { reason };
    this.#take()?.reject(reason);
  }

  #take(): Waiting | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    return waiting;
  }
}
