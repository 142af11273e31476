import type { ErrorRequestHandler } from 'express';
import { toAccountName } from '../../../domain/model/account.ts';
import { CallerLeftError } from '../../../domain/model/errors.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { CallContext, SignRequest } from '../../../domain/model/sign-request.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { getCallContext } from '../call-context.ts';
import { refuseRequest } from '../refusals.ts';
import { respondWithRefusal } from '../responses.ts';
import { getRoutePattern } from '../route.ts';

/** A refused request, or a refused item of a batch. */
interface RefusedItem extends Pick<SignRequest, 'platformId' | 'accountId'> {
  readonly refusal: Refusal;
}

/**
 * Logs the causes of a request's failures, which responses omit. Ignores refusals without a cause:
 * responses explain them.
 * @param message of each line
 * @param countAs a second name of the count
 */
export function logFailures(
  log: ServiceLog,
  message: string,
  refused: readonly RefusedItem[],
  { correlationId }: Pick<CallContext, 'correlationId'>,
  countAs?: string,
): void {
  const failures = new Map<string, { readonly facts: object; readonly accounts: string[] }>();
  for (const { platformId, accountId, refusal } of refused) {
    const { code, cause } = refusal;
    if (cause === undefined) continue;
    const key = `${code} ${describeCause(cause)}`;
    const failure = failures.get(key) ?? { facts: { errorCode: code, correlationId, cause }, accounts: [] };
    // The account exists: others are refused without a cause.
    failure.accounts.push(toAccountName({ platformId, accountId }));
    failures.set(key, failure);
  }
  for (const [cause, { facts, accounts }] of failures) {
    log.error(message, { ...facts }, { topic: message, cause, countAs, accounts });
  }
}

/** Identifies a cause. Not for the log: its message may contain anything. */
function describeCause(cause: unknown): string {
  return cause instanceof Error ? `${cause.name} ${cause.message}` : typeof cause;
}

/**
 * Logs an unexpected error, at most once a minute, and responds without its cause; to a caller that
 * has left, not at all.
 */
export function errorHandler(log: ServiceLog): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (error instanceof CallerLeftError) return;
    const { correlationId } = getCallContext(response);
    const { method } = request;
    const route = getRoutePattern(request);
    const throttling = { topic: 'unhandled errors', cause: `${method} ${route} ${describeCause(error)}` };
    const facts = { method, route, correlationId, cause: error };
    log.error('Unhandled error while serving a request.', facts, throttling);
    if (response.headersSent) response.destroy();
    else respondWithRefusal(response, refuseRequest('InternalError'));
  };
}
