import { SigningIntake } from '../admission/signing-intake.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { AuthFailureLimiter } from '../callers/auth-failure-limiter.ts';
import { CallerGuard } from '../callers/caller-guard.ts';
import { CallerRateLimiter } from '../callers/caller-rate-limiter.ts';
import { RefusalRecorder } from '../refusal-recorder.ts';
import { CONSOLE_PATHS, type Route, type SigningRoute } from '../route.ts';
import { accountRoute, accountsRoute } from './accounts.ts';
import { configReloadRoute } from './config-reload.ts';
import { consoleRoutes } from './console.ts';
import { metricsRoute } from './metrics.ts';
import { signRoute } from './sign.ts';
import { signBatchRoute } from './sign-batch.ts';
import { statusRoute } from './status.ts';
import { verifyRoute } from './verify.ts';

/** The endpoints, grouped by caller and operator. */
export interface Routes {
  readonly signing: readonly SigningRoute[];
  readonly accounts: readonly Route[];
  readonly admin: readonly Route[];
  /** The console by its port: `main` without an operators' port. Empty if it is off. */
  readonly console: { readonly main: readonly Route[]; readonly operators: readonly Route[] };
  /** Guarded for callers with permission for the status; open on the second listener. */
  readonly metrics: { readonly guarded: Route; readonly open: Route };
  /** Guards all but the open routes. */
  readonly guard: CallerGuard;
}

/** Creates the routes and their shared parts. */
export function createRoutes(dependencies: AppDependencies): Routes {
  const { signing, accounts, reloads, status, activity } = dependencies;
  const { readiness, monitoring, registry } = dependencies;
  const { tls, forwarded, authentication, audit, callerChecks: checks, rateLimits, clock, log } = dependencies;
  const { hasConsole, expiryWarningDays, maxBatch, maxInFlight, maxQueue } = dependencies;
  const limits = rateLimits.callers === null ? null : new CallerRateLimiter(rateLimits.callers, log);
  const failures = new AuthFailureLimiter(rateLimits.failures, log);
  const authenticatedCallers = authentication === null ? null : { authentication, failures };
  const intake = new SigningIntake({ maxInFlight, maxQueue }, log, { authenticatedCallers, limits });
  const refusals = new RefusalRecorder({ registry, audit, clock, log });
  const parts = { intake, limits, clock, log, refusals };
  const traffic = { intake, maxInFlight, maxQueue, limits, failures, rateLimits, tls, forwarded };
  const seen = { activity, intake, limits, failures, rateLimits, tls, forwarded, readiness };
  const statusParts = { ...seen, refusals, expiryWarningDays };
  const console = (paths: readonly string[]) =>
    hasConsole ? consoleRoutes({ ...statusParts, status, accounts, clock, registry }, paths) : [];
  const metricsParts = { monitoring, traffic, intake, clock };
  return {
    signing: [signRoute(signing, parts), signBatchRoute(signing, maxBatch, parts), verifyRoute(signing, parts)],
    accounts: [accountsRoute(accounts, parts), accountRoute(accounts, refusals)],
    admin: [configReloadRoute(reloads, refusals), statusRoute(status, statusParts)],
    console: { main: console([CONSOLE_PATHS.page]), operators: console([CONSOLE_PATHS.home, CONSOLE_PATHS.page]) },
    metrics: { guarded: metricsRoute(metricsParts, refusals), open: metricsRoute(metricsParts, null) },
    guard: new CallerGuard({ checks, failures, intake, isAuthenticated: authenticatedCallers !== null, limits }),
  };
}
