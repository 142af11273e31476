import { AccountCounts } from '../../../domain/services/account-counts.ts';
import { SigningIntake } from '../admission/signing-intake.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { AuthFailureLimiter } from '../callers/auth-failure-limiter.ts';
import { CallerGuard } from '../callers/caller-guard.ts';
import { CallerRateLimiter } from '../callers/caller-rate-limiter.ts';
import { RefusalRecorder } from '../refusal-recorder.ts';
import { CONSOLE_PATHS, type Route, type SigningRoute } from '../route.ts';
import type { StateSources } from '../state/service-state.ts';
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
  /** For the readiness. */
  readonly sources: StateSources;
}

/** Creates the routes and their shared parts. */
export function createRoutes(dependencies: AppDependencies): Routes {
  const { signing, accounts, reloads, registry } = dependencies;
  const { authentication, audit, callerChecks: checks, rateLimits, clock, log } = dependencies;
  const { hasConsole, maxBatch, maxInFlight, maxQueue } = dependencies;
  const limits = rateLimits.callers === null ? null : new CallerRateLimiter(rateLimits.callers, log);
  const failures = new AuthFailureLimiter(rateLimits.failures, log);
  const authenticatedCallers = authentication === null ? null : { authentication, failures };
  const intake = new SigningIntake({ maxInFlight, maxQueue }, log, { authenticatedCallers, limits });
  const refusals = new RefusalRecorder({ registry, audit, clock, log });
  const parts = { intake, limits, clock, log, refusals };
  const counts = new AccountCounts(clock);
  const sources = { ...dependencies, intake, limits, failures, counts, startedAt: clock.monotonic() };
  const console = (paths: readonly string[]) => (hasConsole ? consoleRoutes(sources, refusals, paths) : []);
  return {
    sources,
    signing: [signRoute(signing, parts), signBatchRoute(signing, maxBatch, parts), verifyRoute(signing, parts)],
    accounts: [accountsRoute(accounts, parts), accountRoute(accounts, refusals)],
    admin: [configReloadRoute(reloads, refusals), statusRoute(sources, refusals)],
    console: { main: console([CONSOLE_PATHS.page]), operators: console([CONSOLE_PATHS.home, CONSOLE_PATHS.page]) },
    metrics: { guarded: metricsRoute(sources, refusals), open: metricsRoute(sources, null) },
    guard: new CallerGuard({ checks, failures, intake, isAuthenticated: authenticatedCallers !== null, limits }),
  };
}
