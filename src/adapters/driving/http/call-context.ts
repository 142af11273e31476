import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { CallContext } from '../../../domain/model/sign-request.ts';

const IPV4_MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** Names the call and who makes it, and keeps that with its response. */
export function openCall(request: IncomingMessage, response: Response): CallContext {
  const remoteAddress = request.socket.remoteAddress?.replace(IPV4_MAPPED, '') ?? null;
  const context: CallContext = { correlationId: randomUUID(), remoteAddress, principal: null };
  response.locals['callContext'] = context;
  return context;
}

/** The call to which this response belongs. */
export function callContextOf(response: Response): CallContext {
  return response.locals['callContext'] as CallContext;
}
