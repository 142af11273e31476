import type { JsonObject } from '../../../domain/model/json.ts';
import type { Readiness, ReadinessCheck } from '../../../domain/services/readiness-service.ts';

/** Everything that is known of it, for operators. */
export function readinessView({ checks, facts }: Readiness): JsonObject {
  return { checks: checksView(checks, detailedView), facts };
}

/** Which checks hold, and nothing of the configuration, keys or disks, for whoever asks. */
export function briefReadinessView({ checks }: Pick<Readiness, 'checks'>): JsonObject {
  return { checks: checksView(checks, ({ ok }) => ({ ok })) };
}

function checksView(checks: Readiness['checks'], viewOf: (check: ReadinessCheck) => JsonObject): JsonObject {
  const { keys, audit, selfTest, draining, authentication } = checks;
  const shown = { keys: viewOf(keys), audit: viewOf(audit), selfTest: viewOf(selfTest), draining: viewOf(draining) };
  return authentication === undefined ? shown : { ...shown, authentication: viewOf(authentication) };
}

function detailedView({ ok, detail }: ReadinessCheck): JsonObject {
  return detail === undefined ? { ok } : { ok, detail };
}
