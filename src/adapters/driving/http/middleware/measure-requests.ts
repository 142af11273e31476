import type { Request, Response } from 'express';
import type { CountedFault, Counting } from '../../../../ports/metrics.ts';
import { refusedWith } from '../envelope.ts';
import type { HttpRefusal } from '../http-refusal.ts';
import { routePatternOf } from '../route.ts';

/** Counts how a request ended, once its response is out or its connection is closed. */
export function measureRequest(request: Request, response: Response, metrics: Counting): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const refusal = refusedWith(response);
    metrics.answered({
      method: request.method,
      route: routePatternOf(request),
      status: response.writableFinished ? response.statusCode : null,
      fault: refusal === undefined ? null : countedFault(refusal),
      durationMs: performance.now() - startedAt,
    });
  });
}

/** A refusal as it is counted. The scope of a limit says as much as a reason does. */
export function countedFault({ code, details }: HttpRefusal): CountedFault {
  const reason = details['reason'] ?? details['scope'];
  return { code, reason: typeof reason === 'string' ? reason : null };
}
