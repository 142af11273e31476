import type { Clock } from '../../ports/clock.ts';

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Questions of requests that arrive in one turn of the event loop, answered together at its end, first come, first served: what an answer costs once however many there are is then paid once. Under load
 * dozens arrive in a turn, since the record of one group of signatures lets as many callers go on; a request that is alone waits for nothing but the end of its own turn.
 */
export class Round<Question, Answer> {
  readonly #clock: Pick<Clock, 'atEndOfTurn'>;
  readonly #answerSome: (questions: readonly Question[]) => readonly Answer[];
  #waiting: Waiting<Question, Answer>[] = [];

  /** @param answerSome gives answers for the first of the questions, at least one, in their order; the others are asked again in the next turn */
  constructor(clock: Pick<Clock, 'atEndOfTurn'>, answerSome: (questions: readonly Question[]) => readonly Answer[]) {
    this.#clock = clock;
    this.#answerSome = answerSome;
  }

  /** Resolves to the answer at the end of this turn, or of a later one where many ask; rejects with what `answerSome` throws. */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      if (this.#waiting.length === 1) this.#answerLater();
    });
  }

  #answerLater(): void {
    this.#clock.atEndOfTurn(() => this.#answer());
  }

  #answer(): void {
    const asked = this.#waiting;
    this.#waiting = [];
    try {
      const answers = this.#answerSome(asked.map(({ question }) => question));
      for (const [index, answer] of answers.entries()) asked[index]?.resolve(answer);
      this.#waiting = asked.slice(answers.length);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    if (this.#waiting.length > 0) this.#answerLater();
  }
}
