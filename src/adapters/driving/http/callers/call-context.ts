import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import type { CallContext } from '../../../../domain/model/sign-request.ts';
import { plainAddress } from '../networks/network-list.ts';

/**
 * Names the call and where it comes from, and keeps that with its response.
 * @param address of the caller; null where it can't be told
 */
export function openCall(address: string | null, response: Response): CallContext {
  const remoteAddress = address === null ? null : plainAddress(address);
  const context: CallContext = { correlationId: randomUUID(), remoteAddress, principal: null };
  response.locals['callContext'] = context;
  return context;
}

/** The call to which this response belongs. */
export function callContextOf(response: Response): CallContext {
  return response.locals['callContext'] as CallContext;
}

/** Says who makes the call, once that was proved; everything that is recorded of it from now on names this caller. */
export function identifyCaller(response: Response, principal: string): void {
  response.locals['callContext'] = { ...callContextOf(response), principal };
}
