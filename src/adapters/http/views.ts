import type { ReloadNote } from '../../domain/model/service-state.ts';
import type { Readiness, ReadinessCheck, ReadinessService } from '../../domain/services/readiness-service.ts';
import type { ReloadReport } from './schemas/reload-responses.ts';
import type { ReadinessFacts, ReadinessReport } from './schemas/status-responses.ts';

type Checks = ReadinessReport['checks'];

/** The detailed view, for operators. */
export function readinessView({ checks, facts }: Readiness): ReadinessReport {
  return { checks: viewChecks(checks, viewDetailed), facts: factsView(facts) };
}

/** Adds a readiness fact; `fact` must not throw. */
export function showFact<Name extends keyof ReadinessFacts>(
  readiness: Pick<ReadinessService, 'show'>,
  name: Name,
  fact: () => Required<ReadinessFacts>[Name],
): void {
  readiness.show(name, fact);
}

/** The facts, all added by {@link showFact}. */
export function factsView(facts: Readiness['facts']): ReadinessFacts {
  return facts as ReadinessFacts;
}

/** The public view: check results without configuration, keys or disks. */
export function briefReadinessView({ checks }: Readiness): ReadinessReport {
  return { checks: viewChecks(checks, ({ ok }) => ({ ok })) };
}

function viewChecks(checks: Readiness['checks'], toView: (check: ReadinessCheck) => Checks['keys']): Checks {
  const { keys, audit, selfTest, draining, authentication } = checks;
  const shown = { keys: toView(keys), audit: toView(audit), selfTest: toView(selfTest), draining: toView(draining) };
  return authentication === undefined ? shown : { ...shown, authentication: toView(authentication) };
}

function viewDetailed({ ok, detail }: ReadinessCheck): Checks['keys'] {
  return detail === undefined ? { ok } : { ok, detail };
}

/** The last load of the configuration; null before the first has ended. */
export function reloadView(note: ReloadNote | null): ReloadReport | null {
  if (note === null) return null;
  const { at, trigger, outcome, issues } = note;
  return { at, trigger, outcome, issues: issues.map(({ path, message }) => ({ path, message })) };
}
