import type { Request, Response } from 'express';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { EndedRequest, FailureReason, MetricsRecorder } from '../../../ports/metrics.ts';
import { getRefusal } from '../envelope.ts';
import { getRoutePattern } from '../route.ts';

/** Counts a request once its response or connection is closed. */
export function measureRequest(request: Request, response: Response, metrics: MetricsRecorder): void {
  const startedAt = performance.now();
  response.once('close', () => {
    metrics.requestEnded(toEndedRequest(request, response, startedAt));
  });
}

/**
 * A request whose response or connection is closed.
 * @param startedAt as of `performance.now()`
 */
export function toEndedRequest(request: Request, response: Response, startedAt: number): EndedRequest {
  const refusal = getRefusal(response);
  return {
    method: request.method,
    route: getRoutePattern(request),
    status: response.writableFinished ? response.statusCode : null,
    failure: refusal === undefined ? null : toCountedIssue(refusal),
    durationMs: performance.now() - startedAt,
  };
}

/** Code and reason of a refusal; for a limit, its scope. */
export function toCountedIssue({ code, details }: Refusal): FailureReason {
  const reason = details['reason'] ?? details['scope'];
  return { code, reason: typeof reason === 'string' ? reason : null };
}
