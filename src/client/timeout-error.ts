import { type ErrorContext, SigningClientError } from './client-error.ts';

/** What took too long: to connect (`connectTimeoutMs`), or the whole call with its repetitions (`timeoutMs`). */
export type TimedPhase = 'connect' | 'call';

/** Time ran out before the answer had come. */
export class TimeoutError extends SigningClientError {
  override readonly kind = 'timeout';
  readonly phase: TimedPhase;

  constructor(phase: TimedPhase, milliseconds: number, context: ErrorContext) {
    const what = phase === 'connect' ? 'No connection was made' : 'No answer came';
    super(`${what} within ${milliseconds} ms.`, context);
    this.phase = phase;
  }
}
