import type { RetryOptions } from './client-options.ts';
import { refuseUnknown, wholeNumber } from './known-options.ts';
import type { ServiceError } from './service-error.ts';
import type { WireFault } from './wire-fault.ts';

/** Refusals after which nothing was done, and the same may be asked again. */
const NOT_DONE: readonly string[] = ['RATE_LIMITED', 'OVERLOADED', 'NOT_READY'];

/** Why no connection came to be, where another attempt may find it better. Wrong certificates, names that don't exist and the like stay wrong. */
const PASSING: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
];

const LONGEST_JITTER_MS = 1000;

/** A refusal, and how far it can be believed. */
export interface RefusedAttempt {
  readonly error: ServiceError;
  /** Whether the service itself said so; a proxy can't know what became of a request that it passed on. */
  readonly isOfService: boolean;
}

/** Whether, and when, a failed attempt is followed by another. Bounded: what is not certain to have been left undone is repeated only where that changes nothing. */
export class RetryPolicy {
  readonly #attempts: number;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #whenUnanswered: boolean;

  /** A RangeError or TypeError says which option is wrong. */
  constructor(options: RetryOptions | false) {
    const given: RetryOptions = options === false ? { attempts: 1 } : options;
    refuseUnknown(given, ['attempts', 'baseDelayMs', 'maxDelayMs', 'whenUnanswered'], 'retry');
    this.#attempts = wholeNumber(given.attempts, 'retry.attempts', { fallback: 3, min: 1, max: 10 });
    this.#baseDelayMs = wholeNumber(given.baseDelayMs, 'retry.baseDelayMs', { fallback: 100, min: 0, max: 60_000 });
    this.#maxDelayMs = wholeNumber(given.maxDelayMs, 'retry.maxDelayMs', { fallback: 2000, min: 0, max: 60_000 });
    this.#whenUnanswered = given.whenUnanswered ?? false;
  }

  /** Milliseconds until the next attempt after a refusal; null for none. */
  afterRefusal({ error, isOfService }: RefusedAttempt, method: 'GET' | 'POST', attempt: number): number | null {
    const { code, retryAfterMs } = error;
    if (attempt >= this.#attempts || !NOT_DONE.includes(code)) return null;
    if (!isOfService && !this.#mayRepeat(method)) return null;
    // Without a time it never fits: the batch is larger than the limit.
    if (retryAfterMs === null) return code === 'RATE_LIMITED' ? null : this.#backoff(attempt);
    const jitter = Math.min(LONGEST_JITTER_MS, Math.max(this.#baseDelayMs, retryAfterMs));
    return retryAfterMs * 2 ** (attempt - 1) + Math.random() * jitter;
  }

  /** Milliseconds until the next attempt after one that has no answer; null for none. */
  afterFault({ kind, progress, cause }: WireFault, method: 'GET' | 'POST', attempt: number): number | null {
    if (attempt >= this.#attempts || kind === 'stopped' || kind === 'too-long') return null;
    if (progress === 'sent') return this.#mayRepeat(method) ? this.#backoff(attempt) : null;
    return kind === 'connect-timeout' || PASSING.includes(codeOf(cause)) ? this.#backoff(attempt) : null;
  }

  #mayRepeat(method: 'GET' | 'POST'): boolean {
    return method === 'GET' || this.#whenUnanswered;
  }

  /** Somewhere between half of the wait and all of it, so that callers don't come back together. */
  #backoff(attempt: number): number {
    const wait = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** (attempt - 1));
    return wait / 2 + (Math.random() * wait) / 2;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
