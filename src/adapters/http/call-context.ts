import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { IDENTIFIER_PATTERN } from '../../domain/model/account.ts';
import type { CallContext } from '../../domain/model/sign-request.ts';
import { normalizeAddress } from './callers/network-list.ts';

/** Length of `00-<32 hex>-<16 hex>-<2 hex>`, the fields that every version has. */
const LENGTH = 55;
const FIELDS = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const FORBIDDEN_VERSION = 'ff';
const NO_TRACE = '0'.repeat(32);
const NO_PARENT = '0'.repeat(16);

/**
 * The version 00 fields of `traceparent` (W3C Trace Context §3.2, §4.3); null if absent, repeated
 * or malformed.
 */
export function getTraceparent(header: string | readonly string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length < LENGTH) return null;
  const fields = header.slice(0, LENGTH);
  const version = fields.slice(0, 2);
  if (!FIELDS.test(fields) || version === FORBIDDEN_VERSION) return null;
  if (fields.slice(3, 35) === NO_TRACE || fields.slice(36, 52) === NO_PARENT) return null;
  if (header.length === LENGTH) return fields;
  return version !== '00' && header[LENGTH] === '-' ? fields : null;
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
