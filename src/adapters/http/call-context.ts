import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { IDENTIFIER_PATTERN } from '../../domain/model/account.ts';
import type { CallContext } from '../../domain/model/sign-request.ts';
import { normalizeAddress } from './callers/network-list.ts';

/**
 * Version, trace, parent and flags (W3C Trace Context §3.2, §4.3). Version ff is forbidden; only
 * versions after 00 have further fields; a trace or parent of zeros is none.
 */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=-|$)/s;

/** The fields of version 00; null if the header is absent, repeated or malformed. */
function getTraceparent(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' ? (TRACEPARENT.exec(header)?.[0] ?? null) : null;
}

/**
 * Creates and stores the context of a call. A valid `X-Request-Id` becomes the correlation id.
 * @param address of the caller; null if the connection is gone
 */
export function openCall(address: string | null, headers: IncomingHttpHeaders, response: Response): CallContext {
  const context: CallContext = {
    correlationId: getRequestId(headers['x-request-id']) ?? randomUUID(),
    traceparent: getTraceparent(headers['traceparent']),
    remoteAddress: address === null ? null : normalizeAddress(address),
    principal: null,
    hasLeft: () => response.destroyed,
  };
  response.locals['callContext'] = context;
  return context;
}

/** Null unless exactly one, safe in headers, logs and records. */
function getRequestId(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && IDENTIFIER_PATTERN.test(header) ? header : null;
}

/** The context of the call that a response belongs to. */
export function getCallContext(response: Response): CallContext {
  return response.locals['callContext'] as CallContext;
}

/** Stores the platform that a single request names, for tracing. */
export function nameCalledPlatform(response: Response, platformId: string): void {
  response.locals['platformId'] = platformId;
}

/** Null before the request is read, and for batches. */
export function getCalledPlatform(response: Response): string | null {
  return (response.locals['platformId'] as string | undefined) ?? null;
}

/** Sets the authenticated caller, for everything that is recorded from now on. */
export function identifyCaller(response: Response, principal: string): void {
  response.locals['callContext'] = { ...getCallContext(response), principal };
}
