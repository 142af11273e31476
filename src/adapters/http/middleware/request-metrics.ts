import type { Request, Response } from 'express';
import type { FailureReason, MetricsRecorder } from '../../../ports/metrics.ts';
import { getRefusal } from '../envelope.ts';
import type { HttpRefusal } from '../http-refusal.ts';
import { getRoutePattern } from '../route.ts';

/** Counts a request once its response or connection is closed. */
export function measureRequest(request: Request, response: Response, metrics: MetricsRecorder): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const refusal = getRefusal(response);
    metrics.requestEnded({
      method: request.method,
      route: getRoutePattern(request),
      status: response.writableFinished ? response.statusCode : null,
      failure: refusal === undefined ? null : toCountedIssue(refusal),
      durationMs: performance.now() - startedAt,
    });
  });
}

/** Code and reason of a refusal; for a limit, its scope. */
export function toCountedIssue({ code, details }: HttpRefusal): FailureReason {
  const reason = details['reason'] ?? details['scope'];
  return { code, reason: typeof reason === 'string' ? reason : null };
}
