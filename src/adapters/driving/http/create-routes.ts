import type { AppDependencies } from './app-dependencies.ts';
import { CallerGuard } from './callers/caller-guard.ts';
import { CallerLimits } from './callers/caller-limits.ts';
import { FailedProofs } from './callers/failed-proofs.ts';
import { SigningIntake } from './overload/signing-intake.ts';
import { RecordedRefusals } from './recorded-refusals.ts';
import type { Route, SigningRoute } from './route.ts';
import { accountRoute } from './routes/account.ts';
import { accountsRoute } from './routes/accounts.ts';
import { configReloadRoute } from './routes/config-reload.ts';
import { metricsRoute } from './routes/metrics.ts';
import { signRoute } from './routes/sign.ts';
import { signBatchRoute } from './routes/sign-batch.ts';
import { statusRoute } from './routes/status.ts';
import { verifyRoute } from './routes/verify.ts';

/** The endpoints, by who uses them: callers, or operators. */
export interface Routes {
  readonly signing: readonly SigningRoute[];
  readonly accounts: readonly Route[];
  readonly admin: readonly Route[];
  /** Metrics, for callers that may have the status, or for all that get to the port. */
  readonly metrics: { readonly guarded: Route; readonly open: Route };
  /** What they stand behind. */
  readonly guard: CallerGuard;
}

/** Makes them, with what they share. */
export function createRoutes(dependencies: AppDependencies): Routes {
  const { signing, batches, verification, accounts, reloads, status, readiness, monitoring } = dependencies;
  const { tls, authentication, audit, callerChecks: checks, rateLimits, clock, log } = dependencies;
  const { maxBatch, maxInFlight, maxQueue } = dependencies;
  const limits = rateLimits.callers === null ? null : new CallerLimits(rateLimits.callers, log);
  const proofs = new FailedProofs(rateLimits.failures, log);
  const asked = authentication === null ? null : { authentication, proofs };
  const intake = new SigningIntake({ maxInFlight, maxQueue }, log, { asked, limits });
  const refusals = new RecordedRefusals(audit);
  const parts = { intake, limits, clock, log, refusals };
  const traffic = { intake, maxInFlight, maxQueue, limits, proofs, rateLimits, tls };
  const pages = { monitoring, traffic, intake, clock };
  return {
    signing: [signRoute(signing, parts), signBatchRoute(batches, maxBatch, parts), verifyRoute(verification, parts)],
    accounts: [accountsRoute(accounts, parts), accountRoute(accounts, refusals)],
    admin: [
      configReloadRoute(reloads, refusals),
      statusRoute(status, { intake, limits, proofs, rateLimits, tls, readiness, refusals }),
    ],
    metrics: { guarded: metricsRoute(pages, refusals), open: metricsRoute(pages, null) },
    guard: new CallerGuard({ checks, proofs, intake, isAuthenticated: asked !== null, limits }),
  };
}
