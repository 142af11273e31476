import { callHeaders, requestIdOf } from './call-headers.ts';
import { CallLimits } from './call-limits.ts';
import type { CallOptions } from './client-options.ts';
import type { JsonObject } from './json.ts';
import { type AttemptParts, type CallerParts, OneAttempt, type Question, type Told } from './one-attempt.ts';

/** Sends questions, again where that is safe, and gives what the answer holds, or throws one of the client's errors. */
export class Caller {
  readonly #parts: CallerParts;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /** @param read makes the result of the answer's data; throws an AnswerFault where it can't */
  async ask<Value>(question: Question, options: CallOptions, read: (data: JsonObject) => Value): Promise<Told<Value>> {
    const requestId = requestIdOf(options);
    const body = Buffer.from(question.json === undefined ? '' : JSON.stringify(question.json));
    const headers = callHeaders(options, requestId, body);
    const limits = new CallLimits(options.timeoutMs ?? this.#parts.timeoutMs, options.signal);
    let isPerhapsDone = false;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const own: AttemptParts = { requestId, headers, body, limits, attempt, isPerhapsDone };
        const outcome = await new OneAttempt(this.#parts, question, own).run(read);
        if (!('error' in outcome)) return outcome;
        isPerhapsDone = outcome.error.mayHaveBeenDone;
        if (outcome.again === null || !limits.allows(outcome.again)) throw outcome.error;
        await limits.wait(outcome.again);
        limits.throwIfUnwanted();
      }
    } finally {
      limits.end();
    }
  }
}
