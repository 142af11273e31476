import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** What a program answers: what it was asked for, or why there is none. */
type Told<Answer> = { readonly answer: Answer } | { readonly fault: string };

/** A program of the bench in a process of its own, which is asked one thing at a time. */
export class AskedProcess<Question extends object, Answer> {
  readonly #child: ChildProcess;

  /** @param file in this folder; it calls {@link answerQuestions} */
  constructor(file: string) {
    this.#child = fork(resolve(import.meta.dirname, file), { execArgv: ['--import', 'tsx'] });
  }

  get pid(): number {
    return Number(this.#child.pid);
  }

  /** @throws Error with what the program says went wrong, and when it ended */
  ask(question: Question): Promise<Answer> {
    return new Promise((done, fail) => {
      const receive = (told: Told<Answer>) => {
        this.#child.off('exit', end);
        if ('fault' in told) fail(new Error(told.fault));
        else done(told.answer);
      };
      const end = () => {
        this.#child.off('message', receive);
        fail(new Error('A process of the bench ended.'));
      };
      this.#child.once('message', receive).once('exit', end);
      this.#child.send(question);
    });
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** The other side of an {@link AskedProcess}: answers what the process is asked, and ends with whoever started it. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  const tell = (told: Told<Answer>) => process.send?.(told);
  process.on('message', (question: Question) => {
    answer(question).then(
      (answered) => tell({ answer: answered }),
      (error: unknown) => tell({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
