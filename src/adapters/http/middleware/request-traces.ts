import type { Request, Response } from 'express';
import type { Traces } from '../../../ports/traces.ts';
import { getCallContext, getCalledPlatform } from '../call-context.ts';
import { toEndedRequest } from './request-metrics.ts';

/** Reports a request to tracing once its response or connection is closed. */
export function traceRequests(
  traces: Pick<Traces, 'requestEnded'> | null,
): (request: Request, response: Response) => void {
  if (traces === null) return () => undefined;
  return (request, response) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const { correlationId, traceparent } = getCallContext(response);
      const platformId = getCalledPlatform(response);
      traces.requestEnded({
        ...toEndedRequest(request, response, startedAt),
        ...{ correlationId, traceparent, platformId },
      });
    });
  };
}
