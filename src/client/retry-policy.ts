import type { ServiceError } from './errors.ts';
import type { TransportError } from './exchange.ts';
import { type RetryOptions, rejectUnknown, wholeNumber } from './options.ts';

/** Refusals after which nothing was executed. Written by `npm run generate`. */
const RETRYABLE_CODES: readonly string[] = ['RATE_LIMITED', 'OVERLOADED', 'NOT_READY'];

/** Transient connection errors; wrong certificates or unknown hosts stay wrong. */
const TRANSIENT_ERRORS: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
];

const MAX_JITTER_MS = 1000;

/** A refusal and its origin. */
export interface RefusedAttempt {
  readonly error: ServiceError;
  /**
   * Whether the service sent it; a proxy does not know whether a forwarded request was executed.
   */
  readonly isFromService: boolean;
}

/**
 * Decides whether and when to retry. A request that may have been executed is retried only if it is
 * idempotent or the caller allowed it.
 */
export class RetryPolicy {
  readonly #attempts: number;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #whenUnanswered: boolean;

  /** Throws a RangeError or TypeError for an invalid option. */
  constructor(options: RetryOptions | false) {
    const settings: RetryOptions = options === false ? { attempts: 1 } : options;
    rejectUnknown(settings, ['attempts', 'baseDelayMs', 'maxDelayMs', 'whenUnanswered'], 'retry');
    this.#attempts = wholeNumber(settings.attempts, 'retry.attempts', { fallback: 3, min: 1, max: 10 });
    this.#baseDelayMs = wholeNumber(settings.baseDelayMs, 'retry.baseDelayMs', { fallback: 100, min: 0, max: 60_000 });
    this.#maxDelayMs = wholeNumber(settings.maxDelayMs, 'retry.maxDelayMs', { fallback: 2000, min: 0, max: 60_000 });
    this.#whenUnanswered = settings.whenUnanswered ?? false;
  }

  /** Milliseconds until the next attempt after a refusal; null for none. */
  afterRefusal({ error, isFromService }: RefusedAttempt, method: 'GET' | 'POST', attempt: number): number | null {
    const { code, retryAfterMs } = error;
    if (attempt >= this.#attempts || !RETRYABLE_CODES.includes(code)) return null;
    if (!isFromService && !this.#mayRepeat(method)) return null;
    // No time: the batch exceeds the limit and never fits.
    if (retryAfterMs === null) return code === 'RATE_LIMITED' ? null : this.#backoff(attempt);
    const jitter = Math.min(MAX_JITTER_MS, Math.max(this.#baseDelayMs, retryAfterMs));
    return retryAfterMs * 2 ** (attempt - 1) + Math.random() * jitter;
  }

  /** Milliseconds until the next attempt without a response; null for none. */
  afterTransportError(
    { kind, progress, cause }: TransportError,
    method: 'GET' | 'POST',
    attempt: number,
  ): number | null {
    if (attempt >= this.#attempts || kind === 'aborted' || kind === 'too-long') return null;
    if (progress === 'sent') return this.#mayRepeat(method) ? this.#backoff(attempt) : null;
    return kind === 'connect-timeout' || TRANSIENT_ERRORS.includes(getErrorCode(cause)) ? this.#backoff(attempt) : null;
  }

  #mayRepeat(method: 'GET' | 'POST'): boolean {
    return method === 'GET' || this.#whenUnanswered;
  }

  /** Jitter between half and all of the delay spreads the callers. */
  #backoff(attempt: number): number {
    const wait = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** (attempt - 1));
    return wait / 2 + (Math.random() * wait) / 2;
  }
}

function getErrorCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
