import type { AppDependencies } from './app-dependencies.ts';
import { CallerLimits } from './callers/caller-limits.ts';
import { Entrance } from './callers/entrance.ts';
import { FailedProofs } from './callers/failed-proofs.ts';
import { MalformedSigningRequests } from './malformed-signing-requests.ts';
import { SigningIntake } from './overload/signing-intake.ts';
import { RefusedQuestions } from './refused-questions.ts';
import type { Route } from './route.ts';
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
  readonly signing: readonly Route[];
  readonly admin: readonly Route[];
  /** Metrics, for who may have the status, or for whoever gets to the port. */
  readonly metrics: { readonly asked: Route; readonly open: Route };
  /** What they stand behind. */
  readonly entrance: Entrance;
}

/** Makes them, with what they share. */
export function createRoutes(dependencies: AppDependencies): Routes {
  const { signing, batches, verification, accounts, reloads, status, readiness, monitoring } = dependencies;
  const { tls, authentication, audit, callerChecks, rateLimits, clock, log, maxBatch, maxInFlight, maxQueue } =
    dependencies;
  const limits = rateLimits.callers === null ? null : new CallerLimits(rateLimits.callers, log);
  const proofs = new FailedProofs(rateLimits.failures, log);
  const asked = authentication === null ? null : { authentication, proofs };
  const intake = new SigningIntake({ maxInFlight, maxQueue }, log, { asked, limits });
  const questions = new RefusedQuestions(audit);
  const parts = { intake, limits, clock, log, malformed: new MalformedSigningRequests(audit, 'sign') };
  const traffic = { intake, maxInFlight, maxQueue, limits, proofs, rateLimits, tls };
  const pages = { monitoring, traffic, intake, clock };
  return {
    signing: [
      signRoute(signing, parts),
      signBatchRoute(batches, maxBatch, parts),
      verifyRoute(verification, { ...parts, malformed: new MalformedSigningRequests(audit, 'verify') }),
      accountsRoute(accounts, { intake, clock, questions }),
      accountRoute(accounts, questions),
    ],
    admin: [
      configReloadRoute(reloads, new MalformedSigningRequests(audit, 'reload')),
      statusRoute(status, { intake, limits, proofs, rateLimits, tls, readiness, questions }),
    ],
    metrics: { asked: metricsRoute(pages, questions), open: metricsRoute(pages, null) },
    entrance: new Entrance({ checks: callerChecks, limits, proofs, intake, isAuthenticated: asked !== null }),
  };
}
