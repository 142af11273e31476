/** Which of the client's errors one is. */
export type ErrorKind = 'service' | 'network' | 'timeout' | 'protocol' | 'untrusted' | 'verification';

/** What every error of a call has; what is wrong with the call itself (an option, data that JSON can't hold) is a TypeError before anything is sent. */
export abstract class SigningClientError extends Error {
  /** Tells the errors apart: {@link ErrorKind}. */
  abstract readonly kind: ErrorKind;
  /** `X-Request-Id` of the call: what the service log and the audit record know it by. */
  readonly requestId: string;
  /** Whether the service may have done (signed and recorded) what was asked, although no result came of it. False where it is certain that it did not. */
  readonly mayHaveBeenDone: boolean;

  constructor(message: string, { requestId, mayHaveBeenDone, cause }: ErrorContext) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.requestId = requestId;
    this.mayHaveBeenDone = mayHaveBeenDone;
  }
}

/** What is known of the call that failed. */
export interface ErrorContext {
  readonly requestId: string;
  readonly mayHaveBeenDone: boolean;
  readonly cause?: unknown;
}
