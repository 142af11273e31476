import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { IDENTIFIER_PATTERN } from '../../../../domain/model/identifier.ts';
import type { CallContext } from '../../../../domain/model/sign-request.ts';
import { plainAddress } from '../networks/network-list.ts';
import { traceparentOf } from './trace-context.ts';

/**
 * Names the call and where it comes from, and keeps that with its response. A caller may name it by itself (`X-Request-Id`); what is no id is passed over.
 * @param address of the caller; null where it can't be told
 */
export function openCall(address: string | null, headers: IncomingHttpHeaders, response: Response): CallContext {
  const context: CallContext = {
    correlationId: requestIdOf(headers['x-request-id']) ?? randomUUID(),
    traceparent: traceparentOf(headers['traceparent']),
    remoteAddress: address === null ? null : plainAddress(address),
    principal: null,
  };
  response.locals['callContext'] = context;
  return context;
}

/** Null for none, several, or one that is not to be repeated in headers, logs and records. */
function requestIdOf(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && IDENTIFIER_PATTERN.test(header) ? header : null;
}

/** The call to which this response belongs. */
export function callContextOf(response: Response): CallContext {
  return response.locals['callContext'] as CallContext;
}

/** Says who makes the call, once that was proved; everything that is recorded of it from now on names this caller. */
export function identifyCaller(response: Response, principal: string): void {
  response.locals['callContext'] = { ...callContextOf(response), principal };
}
