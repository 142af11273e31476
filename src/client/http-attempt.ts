import type { CallLimits } from './call-limits.ts';
import {
  NetworkError,
  ProtocolError,
  ServiceError,
  type SigningClientError,
  TimeoutError,
  UntrustedAnswerError,
  type UntrustedReason,
} from './errors.ts';
import {
  type Endpoint,
  exchange,
  readEnvelope,
  TransportError,
  type WireRequest,
  type WireResponse,
} from './exchange.ts';
import type { MutualAuthentication } from './mutual-authentication.ts';
import type { Attempt } from './options.ts';
import { InvalidResponseError } from './read-responses.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { JsonObject } from './types.ts';

/** Configuration of all calls of a client. */
export interface CallerOptions {
  readonly retry: RetryPolicy;
  readonly authentication: MutualAuthentication | null;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly onAttempt: ((attempt: Attempt) => void) | undefined;
}

/** An API request. */
export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1`. */
  readonly path: string;
  /**
   * Whether the path is a health check's, above `/api/v1`: without authentication, and never
   * retried, because its refusal is the result.
   */
  readonly isHealthCheck?: true;
  readonly query?: string;
  /** Sent as JSON; absent for no body. */
  readonly json?: unknown;
}

/** A result and the request ID of the service. */
export interface ApiResult<Value> {
  readonly value: Value;
  readonly requestId: string;
}

/** A failed attempt. */
export interface FailedAttempt {
  readonly error: SigningClientError;
  /** Milliseconds until the next attempt; null for none. */
  readonly retryInMs: number | null;
}

/** State of a call at one of its attempts. */
export interface AttemptContext {
  readonly requestId: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
  readonly limits: CallLimits;
  readonly attempt: number;
  /** Whether an earlier attempt may have been executed. */
  readonly mayHaveRun: boolean;
}

/** Sends a request once and decides whether it may be retried. */
export class HttpAttempt {
  readonly #options: CallerOptions;
  readonly #request: ApiRequest;
  readonly #context: AttemptContext;

  constructor(options: CallerOptions, request: ApiRequest, context: AttemptContext) {
    this.#options = options;
    this.#request = request;
    this.#context = context;
  }

  async run<Value>(read: (data: JsonObject) => Value): Promise<ApiResult<Value> | FailedAttempt> {
    const { endpoint, method, path, query = '' } = this.#request;
    const { headers, body, limits } = this.#context;
    const { authentication, connectTimeoutMs, maxAnswerBytes } = this.#options;
    const { isHealthCheck = false } = this.#request;
    const target = `${endpoint.prefix}${isHealthCheck ? '' : '/api/v1'}${path}${query}`;
    // Nonce and time are single-use, so each attempt is signed again.
    const credentials = isHealthCheck ? null : (authentication?.signRequest({ method, target, body }) ?? null);
    const response = await this.#send({
      ...{ endpoint, method, target, body, connectTimeoutMs, maxAnswerBytes, signal: limits.signal },
      headers: credentials === null ? headers : { ...headers, 'Signing-Request-Auth': credentials.header },
    });
    if (response instanceof TransportError) return this.#readTransportError(response);

    const header = getHeader(response, 'signing-response-auth');
    const distrust = credentials?.verifyResponse({ status: response.status, body: response.body, header }) ?? null;
    return this.#readResponse(response, distrust, read);
  }

  async #send(request: WireRequest): Promise<WireResponse | TransportError> {
    const startedAt = performance.now();
    const outcome = await exchange(request).catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error;
    });
    const { requestId, attempt } = this.#context;
    const { method, path } = this.#request;
    const { status, reusedConnection } = outcome;
    const durationMs = performance.now() - startedAt;
    try {
      this.#options.onAttempt?.({ requestId, method, path, attempt, status, durationMs, reusedConnection });
    } catch {
      // An observer must not affect the call.
    }
    return outcome;
  }

  #readResponse<Value>(
    response: WireResponse,
    distrust: UntrustedReason | null,
    read: (data: JsonObject) => Value,
  ): ApiResult<Value> | FailedAttempt {
    const envelope = readEnvelope(response);
    const requestId =
      getHeader(response, 'x-request-id') ?? getHeader(response, 'x-correlation-id') ?? this.#context.requestId;
    const uncertain = { requestId, mayHaveBeenDone: true };
    if (envelope.kind === 'refusal') {
      // A 5xx does not exclude execution, except the service's own 503.
      const mayHaveRun = response.status >= 500 && !(response.status === 503 && isFromService(response));
      const context = { requestId, mayHaveBeenDone: mayHaveRun || this.#context.mayHaveRun };
      const error = new ServiceError(envelope.refusal, context);
      const retryInMs = this.#afterRefusal(error, response, distrust);
      return { error: distrust === null ? error : new UntrustedAnswerError(distrust, error, uncertain), retryInMs };
    }
    if (distrust !== null) return failed(new UntrustedAnswerError(distrust, null, uncertain));
    if (envelope.kind === 'invalid') return failed(new ProtocolError(envelope.message, response.status, uncertain));
    try {
      return { value: read(envelope.data), requestId };
    } catch (error) {
      if (!(error instanceof InvalidResponseError)) throw error;
      return failed(new ProtocolError(error.message, response.status, uncertain));
    }
  }

  #afterRefusal(error: ServiceError, response: WireResponse, distrust: UntrustedReason | null): number | null {
    const { endpoint, method, isHealthCheck } = this.#request;
    if (isHealthCheck) return null;
    // An unsigned refusal is as trustworthy as its TLS connection.
    const isTrusted = distrust === null || (distrust === 'UNSIGNED' && endpoint.isSecure);
    const refused = { error, isFromService: isTrusted && isFromService(response) };
    return this.#options.retry.afterRefusal(refused, method, this.#context.attempt);
  }

  #readTransportError(error: TransportError): FailedAttempt {
    const { requestId, limits, attempt, mayHaveRun } = this.#context;
    const { kind, progress, status, cause } = error;
    const context = { requestId, mayHaveBeenDone: progress === 'sent' || mayHaveRun, cause };
    if (kind === 'aborted') {
      limits.throwIfAborted();
      return failed(new TimeoutError('call', limits.timeoutMs, context));
    }
    if (kind === 'too-long') {
      return failed(new ProtocolError('The response is larger than maxAnswerBytes.', status ?? 0, context));
    }
    const retryInMs = this.#options.retry.afterTransportError(error, this.#request.method, attempt);
    if (kind === 'connect-timeout') {
      return { error: new TimeoutError('connect', this.#options.connectTimeoutMs, context), retryInMs };
    }
    return { error: new NetworkError(formatNetworkError(error), context), retryInMs };
  }
}

function failed(error: SigningClientError): FailedAttempt {
  return { error, retryInMs: null };
}

function formatNetworkError({ progress, cause }: TransportError): string {
  const reason =
    cause instanceof Error ? ` ${cause.message || ('code' in cause ? String(cause.code) : cause.name)}` : '';
  if (progress !== 'sent') return `Cannot connect to the service:${reason}`;
  return `The connection closed before the response was complete:${reason}`;
}

/** Whether the service itself wrote the response: proxies don't set this header. */
function isFromService(response: WireResponse): boolean {
  return getHeader(response, 'x-correlation-id') !== undefined;
}

function getHeader({ headers }: WireResponse, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
