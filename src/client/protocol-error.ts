import { type ErrorContext, SigningClientError } from './client-error.ts';

/** What came is no answer of the signing service: no JSON, not the envelope, fields that are missing, more than `maxAnswerBytes`. */
export class ProtocolError extends SigningClientError {
  override readonly kind = 'protocol';
  /** HTTP status of what came. */
  readonly status: number;

  constructor(message: string, status: number, context: ErrorContext) {
    super(message, context);
    this.status = status;
  }
}
