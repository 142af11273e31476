import type { RequestHandler } from 'express';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { getCallContext } from '../call-context.ts';
import { getRefusal } from '../envelope.ts';
import { getRoutePattern, HEALTH_PATHS, METRICS_PATH } from '../route.ts';

/** For unmatched paths, which the caller wrote. */
const UNMATCHED = '(none)';

const OK = 200;
const POLLED_ROUTES: ReadonlySet<string> = new Set([...Object.values(HEALTH_PATHS), METRICS_PATH]);

/**
 * One line per response, without body, query or account ID. Skips successful probes and scrapes.
 */
export function logRequests(log: ServiceLog): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const route = getRoutePattern(request) ?? UNMATCHED;
      if (POLLED_ROUTES.has(route) && response.statusCode === OK) return;
      const { correlationId, traceparent, remoteAddress, principal } = getCallContext(response);
      const isSent = response.writableFinished;
      const errorCode = getRefusal(response)?.code;
      const fields: { [name: string]: string | number | null } = {
        method: request.method,
        route,
        status: isSent ? response.statusCode : null,
      };
      if (errorCode !== undefined) fields['errorCode'] = errorCode;
      fields['durationMs'] = Math.round((performance.now() - startedAt) * 1000) / 1000;
      fields['remoteAddress'] = remoteAddress;
      if (principal !== null) fields['principal'] = principal;
      fields['correlationId'] = correlationId;
      if (traceparent !== null) fields['traceparent'] = traceparent;
      log.info(isSent ? 'Request completed.' : 'Connection closed before the response was sent.', fields);
    });
    next();
  };
}
