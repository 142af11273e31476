import type { Request, Response } from 'express';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { getCallContext } from '../call-context.ts';
import { getRefusal } from '../envelope.ts';
import { CONSOLE_PATHS, getRoutePattern, HEALTH_PATHS, METRICS_PATH } from '../route.ts';

const COMPLETED = 'Request completed.';

/** For unmatched paths, which the caller wrote. */
const UNMATCHED = '(none)';

const OK = 200;
const POLLED_ROUTES: ReadonlySet<string> = new Set([
  ...Object.values(HEALTH_PATHS),
  METRICS_PATH,
  ...Object.values(CONSOLE_PATHS),
]);

const SERVER_ERROR = 500;

/**
 * One line per response, without body, query or account ID. Skips successful probes and scrapes,
 * and pages of the console, whose script requests them every five seconds.
 * @param isLogged false: only responses with a status from 500, one line a minute for one route and
 *   error code
 */
export function logRequests(log: ServiceLog, isLogged: boolean): (request: Request, response: Response) => void {
  return (request, response) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const route = getRoutePattern(request) ?? UNMATCHED;
      const isSent = response.writableFinished;
      if (!isLogged && (!isSent || response.statusCode < SERVER_ERROR)) return;
      if (POLLED_ROUTES.has(route) && response.statusCode === OK) return;
      const { correlationId, traceparent, remoteAddress, principal } = getCallContext(response);
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
      if (!isLogged) log.info(COMPLETED, fields, { topic: 'failed requests', cause: `${route} ${errorCode}` });
      else log.info(isSent ? COMPLETED : 'Connection closed before the response was sent.', fields);
    });
  };
}
