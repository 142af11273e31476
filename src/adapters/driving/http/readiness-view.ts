import type { Readiness, ReadinessCheck, ReadinessService } from '../../../domain/services/readiness-service.ts';
import type { ReadinessFacts, ReadinessReport } from './schemas/answers/health-answers.ts';

type Checks = ReadinessReport['checks'];

/** Everything that is known of it, for operators. */
export function readinessView({ checks, facts }: Readiness): ReadinessReport {
  return { checks: checksView(checks, detailedView), facts: factsView(facts) };
}

/** From now on readiness shows what `fact` returns, under this name. It must not throw. */
export function showFact<Name extends keyof ReadinessFacts>(
  readiness: Pick<ReadinessService, 'show'>,
  name: Name,
  fact: () => Required<ReadinessFacts>[Name],
): void {
  readiness.show(name, fact);
}

/** The facts as answers have them: all were told by {@link showFact}. */
export function factsView(facts: Readiness['facts']): ReadinessFacts {
  return facts as ReadinessFacts;
}

/** Which checks hold, and nothing of the configuration, keys or disks, for whoever asks. */
export function briefReadinessView({ checks }: Readiness): ReadinessReport {
  return { checks: checksView(checks, ({ ok }) => ({ ok })) };
}

function checksView(checks: Readiness['checks'], viewOf: (check: ReadinessCheck) => Checks['keys']): Checks {
  const { keys, audit, selfTest, draining, authentication } = checks;
  const shown = { keys: viewOf(keys), audit: viewOf(audit), selfTest: viewOf(selfTest), draining: viewOf(draining) };
  return authentication === undefined ? shown : { ...shown, authentication: viewOf(authentication) };
}

function detailedView({ ok, detail }: ReadinessCheck): Checks['keys'] {
  return detail === undefined ? { ok } : { ok, detail };
}
