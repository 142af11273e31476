import { type ErrorContext, SigningClientError } from './client-error.ts';
import type { DetailsOf, ErrorCode } from './error-codes.ts';

/** What the service said no with. */
export interface Refusal<Code extends string> {
  readonly code: Code;
  readonly message: string;
  readonly details: DetailsOf<Code>;
  readonly status: number;
  readonly retryAfterMs: number | null;
}

/** The service answered, and said no. {@link isServiceError} tells which no, and types its details. */
export class ServiceError<Code extends string = string> extends SigningClientError {
  override readonly kind = 'service';
  /** One of `ERROR_CODES`, or one that a later service has. */
  readonly code: Code;
  /** HTTP status, 400 to 599. */
  readonly status: number;
  readonly details: DetailsOf<Code>;
  /** When the same may be asked again, in milliseconds from the answer; null where the service names no time. */
  readonly retryAfterMs: number | null;

  constructor({ code, message, details, status, retryAfterMs }: Refusal<Code>, context: ErrorContext) {
    super(`${code}: ${message}`, context);
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Whether something that was caught is an answer of the service with this code, or with any where none is named.
 *
 * @example if (isServiceError(error, 'ACCOUNT_INACTIVE')) pause(error.details.accountId);
 */
export function isServiceError(error: unknown): error is ServiceError;
export function isServiceError<Code extends ErrorCode>(error: unknown, code: Code): error is ServiceError<Code>;
export function isServiceError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}
