import express from 'express';
import 'express-async-errors';
import { parse as parseQuery } from 'node:querystring';
import type { ErrorRequestHandler, Express } from 'express';
import { accepted } from '../../domain/model/refusal.ts';
import type { AccountService } from '../../domain/services/account-service.ts';
import type { AuditEntryService } from '../../domain/services/audit-entry-service.ts';
import type { ReadinessService } from '../../domain/services/readiness-service.ts';
import type { RecentActivity } from '../../domain/services/recent-activity.ts';
import type { RegistryHolder } from '../../domain/services/registry-holder.ts';
import type { ReloadService } from '../../domain/services/reload-service.ts';
import type { SignRequestService } from '../../domain/services/sign-request-service.ts';
import type { Ports } from '../../ports/ports.ts';
import type { NetworkList } from './callers/network-list.ts';
import type { RequestAuthentication } from './callers/request-authentication.ts';
import { Gate } from './gate.ts';
import { entryChecks, type RequestCheck } from './middleware/entry-checks.ts';
import { errorHandler } from './middleware/error-handler.ts';
import type { Observers } from './middleware/request-observer.ts';
import { responseHeaders } from './response-headers.ts';
import { ROUTES, type Route } from './route.ts';
import { accountEndpoint, accountsEndpoint } from './routes/accounts.ts';
import { consoleRoutes } from './routes/console.ts';
import { documentEndpoints } from './routes/documents.ts';
import { signBatchEndpoint, signEndpoint, verifyEndpoint } from './routes/signing.ts';
import { LIVENESS, metricsEndpoint, readinessEndpoint, statusEndpoint } from './routes/state.ts';
import type { ReloadResponse } from './schemas/reload-responses.ts';
import type { StateDependencies, StateSources } from './state/read-state.ts';
import type { ForwardedClients } from './tls/client-certificates.ts';
import type { ServerTls } from './tls/tls-server.ts';

/** What endpoints and the checks before them use. */
export interface AppDependencies
  extends Pick<Ports, 'clock' | 'limiters' | 'usage' | 'sink' | 'keyStore' | 'source'>,
    Observers {
  readonly signing: SignRequestService;
  readonly accounts: AccountService;
  readonly reloads: Pick<ReloadService, 'reload'>;
  readonly registry: RegistryHolder;
  readonly activity: RecentActivity;
  readonly readiness: ReadinessService;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  /** Null unless proxies may forward client certificates. */
  readonly forwarded: ForwardedClients | null;
  /** Networks whose callers are served. */
  readonly allowedNetworks: NetworkList;
  /** Proxies whose `X-Forwarded-For` is trusted; null for none. */
  readonly trustedProxies: NetworkList | null;
  readonly audit: AuditEntryService;
  /** Identity checks of every route that is not open, in this order. */
  readonly callerChecks: readonly RequestCheck[];
  /** Null without `SIGNING_AUTH`. */
  readonly authentication: RequestAuthentication | null;
  /** Whether the console is served. */
  readonly console: boolean;
  /** Days before the expiry of certificate or access token from which the service warns. */
  readonly expiryWarningDays: number;
  /** Maximum number of items in a batch. */
  readonly maxBatch: number;
  /** Maximum number of concurrent signatures; a quarter is for single requests. */
  readonly maxInFlight: number;
  /** Maximum number of single requests that wait for a permit. */
  readonly maxQueue: number;
}

/** The applications of one service, without servers. */
export interface Apps {
  readonly api: Express;
  /** Reload, status, console and metrics on a second listener; null without one. */
  readonly admin: Express | null;
}

/**
 * The HTTP API, optionally with reload, status, console and metrics in an application of their own.
 * Paths match exactly, including case and trailing slash.
 */
export function createApps(dependencies: StateDependencies, hasAdminListener: boolean): Apps {
  const { callerChecks, authentication, clock } = dependencies;
  const gate = new Gate(dependencies);
  const sources = { ...dependencies, gate, startedAt: clock.monotonic() };
  const callers = callerRoutes(sources);
  const operators = operatorRoutes(sources, hasAdminListener);
  const serve = (...routes: readonly Route[]) => serveRoutes(dependencies, gate, routes);
  if (hasAdminListener) {
    // A page reads from its own port only.
    const accounts = callers.filter(({ path }) => dependencies.console && path === ROUTES.listAccounts.path);
    return {
      api: serve(...callers, ...healthRoutes(sources, true)),
      admin: serve(...operators, ...healthRoutes(sources, false), ...accounts),
    };
  }
  const areCallersIdentified = callerChecks.length > 0 || authentication?.isRequired === true;
  return { api: serve(...callers, ...healthRoutes(sources, areCallersIdentified), ...operators), admin: null };
}

/** An application of these routes, each behind the gate. */
export function serveRoutes(dependencies: AppDependencies, gate: Gate, routes: readonly Route[]): Express {
  const { trustedProxies, tls, log } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // A limit on parameters would hide the rest; their bytes are limited.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }));
  if (trustedProxies !== null) app.set('trust proxy', (address: string) => trustedProxies.includes(address));

  const hasConsole = routes.some(({ path }) => path === ROUTES.console.path);
  const forConsole = hasConsole ? routes.filter(({ isForConsole }) => isForConsole === true) : [];
  app.use(responseHeaders(tls !== null), entryChecks(dependencies, new Set(forConsole.map(({ path }) => path))));
  for (const route of routes) {
    app.route(route.path)[route.method](gate.guard(route)).all(gate.guardOtherMethods(route));
  }
  app.use(routeUndecodablePath, gate.guardUnknownPaths(), errorHandler(log));
  return app;
}

/** Treats an undecodable path as unknown, so that its caller is authenticated first. */
const routeUndecodablePath: ErrorRequestHandler = (error, _request, _response, next) => {
  const isUndecodable = error instanceof URIError && 'status' in error && error.status === 400;
  next(isUndecodable ? undefined : error);
};

/** Health, which is open: brief where the status needs identification. */
function healthRoutes(sources: StateSources, isBrief: boolean): readonly Route[] {
  return [
    { ...ROUTES.isAlive, ...LIVENESS },
    { ...ROUTES.isReady, ...readinessEndpoint(sources, isBrief) },
  ];
}

/** The endpoints of callers, the most frequent first. */
function callerRoutes(sources: StateSources): readonly Route[] {
  const documents = documentEndpoints(sources.maxBatch);
  return [
    { ...ROUTES.sign, ...signEndpoint(sources) },
    { ...ROUTES.signBatch, ...signBatchEndpoint(sources) },
    { ...ROUTES.verify, ...verifyEndpoint(sources) },
    { ...ROUTES.listAccounts, ...accountsEndpoint(sources) },
    { ...ROUTES.getAccount, ...accountEndpoint(sources) },
    { ...ROUTES.getApiDocument, ...documents.openApi },
    { ...ROUTES.getApiPage, ...documents.page },
  ];
}

/** The endpoints of operators. On their own port, metrics are open and the console is at `/`. */
function operatorRoutes(sources: StateSources, hasOwnPort: boolean): readonly Route[] {
  const { reloads } = sources;
  return [
    {
      ...ROUTES.reloadConfiguration,
      async handle({ context }) {
        const outcome = await reloads.reload('request', context);
        return outcome.ok ? accepted(outcome.value satisfies ReloadResponse) : outcome;
      },
    },
    { ...ROUTES.getStatus, ...statusEndpoint(sources) },
    { ...ROUTES.getMetrics, ...(hasOwnPort && { operation: 'open' as const }), ...metricsEndpoint(sources) },
    ...(sources.console ? consoleRoutes(hasOwnPort) : []),
  ];
}
