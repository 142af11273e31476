import { randomUUID } from 'node:crypto';
import { CallLimits } from './call-limits.ts';
import {
  type ApiRequest,
  type ApiResult,
  type AttemptContext,
  type CallerOptions,
  HttpAttempt,
} from './http-attempt.ts';
import type { CallOptions } from './options.ts';
import type { JsonObject } from './types.ts';

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/;

/** W3C Trace Context §3.2; IDs are not all zeros. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's request ID, or a random UUID. Throws a TypeError if invalid. */
export function getRequestId({ requestId = randomUUID() }: CallOptions): string {
  if (REQUEST_ID.test(requestId)) return requestId;
  throw new TypeError('requestId must be 1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit.');
}

/** Headers of a call without authentication. Throws a TypeError for an invalid traceparent. */
export function callHeaders(
  { traceparent }: CallOptions,
  requestId: string,
  body: Buffer,
): { readonly [name: string]: string } {
  if (traceparent !== undefined && !TRACEPARENT.test(traceparent)) {
    throw new TypeError(
      'traceparent must be in W3C Trace Context form: 00-<32 hex digits>-<16 hex digits>-<2 hex digits>.',
    );
  }
  return {
    Accept: 'application/json',
    'X-Request-Id': requestId,
    ...(traceparent !== undefined && { traceparent }),
    ...(body.length > 0 && { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
  };
}

/** Sends requests, retries where that is safe, and reads the result. */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** @param read parses the response's data; throws an InvalidResponseError */
  async call<Value>(
    request: ApiRequest,
    options: CallOptions,
    read: (data: JsonObject) => Value,
  ): Promise<ApiResult<Value>> {
    const requestId = getRequestId(options);
    const body = Buffer.from(request.json === undefined ? '' : JSON.stringify(request.json));
    const headers = callHeaders(options, requestId, body);
    const limits = new CallLimits(options.timeoutMs ?? this.#options.timeoutMs, options.signal);
    let mayHaveRun = false;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const context: AttemptContext = { requestId, headers, body, limits, attempt, mayHaveRun };
        const outcome = await new HttpAttempt(this.#options, request, context).run(read);
        if (!('error' in outcome)) return outcome;
        mayHaveRun = outcome.error.mayHaveBeenDone;
        if (outcome.retryInMs === null || !limits.hasTimeFor(outcome.retryInMs)) throw outcome.error;
        await limits.sleep(outcome.retryInMs);
        limits.throwIfAborted();
      }
    } finally {
      limits.dispose();
    }
  }
}
