import { randomUUID } from 'node:crypto';
import type { CallOptions } from './client-options.ts';

/** What the service takes as a request id. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/;

/** W3C Trace Context §3.2, whose ids are not all zeros. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Id of a call: the caller's, or a random UUID. A TypeError where it is none. */
export function requestIdOf({ requestId = randomUUID() }: CallOptions): string {
  if (REQUEST_ID.test(requestId)) return requestId;
  throw new TypeError('requestId has to be 1 to 128 of A-Z a-z 0-9 . _ : @ + -, a letter or digit first.');
}

/** Headers of every request of a call, but for what proves who calls. A TypeError where the traceparent is none. */
export function callHeaders(
  { traceparent }: CallOptions,
  requestId: string,
  body: Buffer,
): { readonly [name: string]: string } {
  if (traceparent !== undefined && !TRACEPARENT.test(traceparent)) {
    throw new TypeError('traceparent is none of W3C Trace Context: 00-<32 hex digits>-<16 hex digits>-<2 hex digits>.');
  }
  return {
    Accept: 'application/json',
    'X-Request-Id': requestId,
    ...(traceparent !== undefined && { traceparent }),
    ...(body.length > 0 && { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
  };
}
