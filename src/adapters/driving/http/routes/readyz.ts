import type { JsonObject } from '../../../../domain/model/json.ts';
import type { Readiness, ReadinessCheck, ReadinessService } from '../../../../domain/services/readiness-service.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { notReady } from '../http-refusal.ts';
import { HEALTH_PATHS, type Route } from '../route.ts';

/** `GET /readyz`: whether the process should be sent requests, and why not. */
export function readyzRoute(readiness: Pick<ReadinessService, 'report'>): Route {
  return {
    method: 'get',
    path: HEALTH_PATHS.ready,
    refuse: answerRefusal,
    async handle(_request, response) {
      const report = await readiness.report();
      const shown = view(report);
      if (report.ready) answerData(response, { status: 'ready', ...shown });
      else answerRefusal(response, notReady(shown));
    },
  };
}

function view({ checks, facts }: Readiness): JsonObject {
  const { keys, audit, selfTest, draining, authentication } = checks;
  const shown = { keys: viewOf(keys), audit: viewOf(audit), selfTest: viewOf(selfTest), draining: viewOf(draining) };
  const all = authentication === undefined ? shown : { ...shown, authentication: viewOf(authentication) };
  return { checks: all, facts };
}

function viewOf({ ok, detail }: ReadinessCheck): JsonObject {
  return detail === undefined ? { ok } : { ok, detail };
}
