import { AnswerFault } from './answer-fault.ts';
import type { CallLimits } from './call-limits.ts';
import type { SigningClientError } from './client-error.ts';
import type { Attempt } from './client-options.ts';
import type { Endpoint } from './endpoint.ts';
import { readEnvelope } from './envelope.ts';
import { exchange, type WireAnswer, type WireRequest } from './exchange.ts';
import type { JsonObject } from './json.ts';
import type { MutualAuthentication } from './mutual-authentication.ts';
import { NetworkError } from './network-error.ts';
import { ProtocolError } from './protocol-error.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { ServiceError } from './service-error.ts';
import { TimeoutError } from './timeout-error.ts';
import { UntrustedAnswerError, type UntrustedReason } from './untrusted-answer-error.ts';
import { WireFault } from './wire-fault.ts';

/** What every call of a client has in common. */
export interface CallerParts {
  readonly retry: RetryPolicy;
  readonly authentication: MutualAuthentication | null;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly onAttempt: ((attempt: Attempt) => void) | undefined;
}

/** What is asked. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1`, as in the request line. */
  readonly path: string;
  readonly query?: string;
  /** Sent as JSON; absent for none. */
  readonly json?: unknown;
}

/** What came, and by which id the service knows the call. */
export interface Told<Value> {
  readonly value: Value;
  readonly requestId: string;
}

/** An attempt that did not give what was asked, and what may follow it. */
export interface FailedAttempt {
  readonly error: SigningClientError;
  /** Milliseconds until the next attempt; null for none. */
  readonly again: number | null;
}

/** What the attempts of one call have in common, and which one it is. */
export interface AttemptParts {
  readonly requestId: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
  readonly limits: CallLimits;
  readonly attempt: number;
  /** Whether an attempt before this one may have been done: then no later one makes it certain that nothing was. */
  readonly isPerhapsDone: boolean;
}

/** Sends a question once, and says what came of it and whether it may be sent again. */
export class OneAttempt {
  readonly #shared: CallerParts;
  readonly #question: Question;
  readonly #own: AttemptParts;

  constructor(shared: CallerParts, question: Question, own: AttemptParts) {
    this.#shared = shared;
    this.#question = question;
    this.#own = own;
  }

  async run<Value>(read: (data: JsonObject) => Value): Promise<Told<Value> | FailedAttempt> {
    const { endpoint, method, path, query = '' } = this.#question;
    const { headers, body, limits } = this.#own;
    const { authentication, connectTimeoutMs, maxAnswerBytes } = this.#shared;
    const target = `${endpoint.prefix}/api/v1${path}${query}`;
    // Signed anew each time: its nonce and time are used up.
    const proof = authentication?.prove({ method, target, body }) ?? null;
    const proved = proof === null ? headers : { ...headers, 'Signing-Request-Auth': proof.header };
    const { signal } = limits;
    const request = { endpoint, method, target, headers: proved, body, connectTimeoutMs, maxAnswerBytes, signal };
    const answer = await this.#send(request);
    if (answer instanceof WireFault) return this.#unanswered(answer);

    const header = headerOf(answer, 'signing-response-auth');
    const doubt = proof?.faultOf({ status: answer.status, body: answer.body, header }) ?? null;
    return this.#judge(answer, doubt, read);
  }

  async #send(request: WireRequest): Promise<WireAnswer | WireFault> {
    const startedAt = performance.now();
    const outcome = await exchange(request).catch(faultOf);
    const { requestId, attempt } = this.#own;
    const { method, path } = this.#question;
    const { status, reusedConnection } = outcome;
    const durationMs = performance.now() - startedAt;
    try {
      this.#shared.onAttempt?.({ requestId, method, path, attempt, status, durationMs, reusedConnection });
    } catch {
      // Whoever only listens changes nothing.
    }
    return outcome;
  }

  #judge<Value>(
    answer: WireAnswer,
    doubt: UntrustedReason | null,
    read: (data: JsonObject) => Value,
  ): Told<Value> | FailedAttempt {
    const envelope = readEnvelope(answer);
    const requestId = headerOf(answer, 'x-request-id') ?? headerOf(answer, 'x-correlation-id') ?? this.#own.requestId;
    const refused = envelope.kind === 'refusal' ? envelope.refusal : null;
    // A fault of the service says nothing of what was done before it, nor does a 503 of what is in front of it.
    const isFault = answer.status >= 500 && !(answer.status === 503 && isOfService(answer));
    const context = { requestId, mayHaveBeenDone: isFault || this.#own.isPerhapsDone };
    const error = refused === null ? null : new ServiceError(refused, context);
    if (error !== null) {
      const again = this.#afterRefusal(error, answer, doubt);
      if (doubt === null) return { error, again };
      return { error: new UntrustedAnswerError(doubt, error, { requestId, mayHaveBeenDone: true }), again };
    }
    const uncertain = { requestId, mayHaveBeenDone: true };
    if (doubt !== null) return failed(new UntrustedAnswerError(doubt, null, uncertain));
    if (envelope.kind !== 'data') {
      const message = envelope.kind === 'fault' ? envelope.message : '';
      return failed(new ProtocolError(message, answer.status, uncertain));
    }
    try {
      return { value: read(envelope.data), requestId };
    } catch (fault) {
      if (!(fault instanceof AnswerFault)) throw fault;
      return failed(new ProtocolError(fault.message, answer.status, uncertain));
    }
  }

  #afterRefusal(error: ServiceError, answer: WireAnswer, doubt: UntrustedReason | null): number | null {
    const { endpoint, method } = this.#question;
    // One that is not signed is as good as the connection that it came over.
    const isBelieved = doubt === null || (doubt === 'UNSIGNED' && endpoint.isSecure);
    const refused = { error, isOfService: isBelieved && isOfService(answer) };
    return this.#shared.retry.afterRefusal(refused, method, this.#own.attempt);
  }

  #unanswered(fault: WireFault): FailedAttempt {
    const { requestId, limits, attempt, isPerhapsDone } = this.#own;
    const { kind, progress, status, cause } = fault;
    const context = { requestId, mayHaveBeenDone: progress === 'sent' || isPerhapsDone, cause };
    if (kind === 'stopped') {
      limits.throwIfUnwanted();
      return failed(new TimeoutError('call', limits.timeoutMs, context));
    }
    if (kind === 'too-long') {
      return failed(new ProtocolError('The answer is longer than maxAnswerBytes.', status ?? 0, context));
    }
    const again = this.#shared.retry.afterFault(fault, this.#question.method, attempt);
    if (kind === 'connect-timeout') {
      return { error: new TimeoutError('connect', this.#shared.connectTimeoutMs, context), again };
    }
    return { error: new NetworkError(describe(fault), context), again };
  }
}

function faultOf(error: unknown): WireFault {
  if (error instanceof WireFault) return error;
  throw error;
}

function failed(error: SigningClientError): FailedAttempt {
  return { error, again: null };
}

function describe({ progress, cause }: WireFault): string {
  const reason =
    cause instanceof Error ? ` ${cause.message || ('code' in cause ? String(cause.code) : cause.name)}` : '';
  if (progress !== 'sent') return `No connection to the service could be made:${reason}`;
  return `The connection ended before the answer was complete:${reason}`;
}

/** Whether the service wrote an answer itself: what stands in front of it writes no such header. */
function isOfService(answer: WireAnswer): boolean {
  return headerOf(answer, 'x-correlation-id') !== undefined;
}

function headerOf({ headers }: WireAnswer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
