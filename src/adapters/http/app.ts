import { parse as parseQuery } from 'node:querystring';
import type { Express, RequestHandler } from 'express';
import express from 'express';
import { refuse } from './refusals.ts';
import 'express-async-errors';
import type { AppDependencies } from './app-dependencies.ts';
import type { CallerGuard } from './callers/caller-guard.ts';
import { respondWithRefusal } from './envelope.ts';
import { entryChecks } from './middleware/entry-checks.ts';
import { errorHandler, routeUndecodablePath } from './middleware/error-handler.ts';
import { logRequests } from './middleware/request-log.ts';
import { traceRequests } from './middleware/request-traces.ts';
import { responseHeaders } from './middleware/response-headers.ts';
import { checkQuery } from './request-issues.ts';
import type { Route, SigningRoute } from './route.ts';
import { createRoutes } from './routes/create-routes.ts';
import { documentRoutes } from './routes/documents.ts';
import { healthzRoute, readyzRoute } from './routes/health.ts';
import type { StateSources } from './state/service-state.ts';

/** The applications of one service, without servers. */
export interface Apps {
  readonly api: Express;
  /** Reload, status, console and metrics on a second listener; null without one. */
  readonly admin: Express | null;
}

/**
 * The HTTP API. Paths match exactly, including case and trailing slash.
 *
 * Express routes every request. To guard all of them, mount the application behind a middleware:
 *
 * ```ts
 * const guarded = express().disable('x-powered-by').use(middleware, createApp(dependencies));
 * ```
 */
export function createApp(dependencies: AppDependencies): Express {
  const { signing, accounts, admin, console, metrics, guard, sources } = createRoutes(dependencies);
  return buildApp(sources, guard, {
    signing,
    guarded: [...accounts, ...admin, metrics.guarded],
    pages: console.main,
    open: documentRoutes(dependencies),
    isHealthBrief: areCallersIdentified(dependencies),
  });
}

/** The API, optionally with reload, status and metrics in an application of their own. */
export function createApps(dependencies: AppDependencies, hasAdminListener: boolean): Apps {
  if (!hasAdminListener) return { api: createApp(dependencies), admin: null };
  const { signing, accounts, admin, console, metrics, guard, sources } = createRoutes(dependencies);
  const open = documentRoutes(dependencies);
  return {
    api: buildApp(sources, guard, { signing, guarded: accounts, pages: [], open, isHealthBrief: true }),
    admin: buildApp(sources, guard, {
      ...{ signing: [], guarded: admin, pages: console.operators, open: [metrics.open] },
      isHealthBrief: false,
    }),
  };
}

/** Whether the status needs identification; health, which is open, is then brief. */
function areCallersIdentified({ callerChecks, authentication }: AppDependencies): boolean {
  return callerChecks.length > 0 || authentication?.isRequired === true;
}

interface ServedRoutes {
  readonly signing: readonly SigningRoute[];
  readonly guarded: readonly Route[];
  /** Guarded, and open to requests of pages of this service. */
  readonly pages: readonly Route[];
  /** Without authentication and rate limit. */
  readonly open: readonly Route[];
  readonly isHealthBrief: boolean;
}

function buildApp(
  sources: StateSources,
  guard: CallerGuard,
  { signing, guarded, pages, open, isHealthBrief }: ServedRoutes,
): Express {
  const { networks, metrics, traces, tls, log, logsRequests } = sources;
  const { trustedProxies } = networks;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // A limit on parameters would hide the rest; their bytes are limited.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }));
  if (trustedProxies !== null) app.set('trust proxy', (address: string) => trustedProxies.includes(address));

  app.use(responseHeaders(tls !== null), entryChecks(networks, metrics, log, new Set(pages.map(({ path }) => path))));
  const logRequest = logRequests(log, logsRequests);
  const traced = traces === null ? [] : [traceRequests(traces)];
  for (const { path, shed, refuse, handle } of signing) {
    app
      .route(path)
      .post(...traced, shed, logRequest, ...guard.identify(refuse), handle)
      .all(logRequest, ...guard.handlers(refuse), refuseMethod(['POST'], refuse));
  }
  app.use(logRequest);
  const health = [healthzRoute(), readyzRoute(sources, isHealthBrief)];
  for (const route of [...health, ...open]) addRoute(app, route, []);
  for (const route of [...guarded, ...pages]) addRoute(app, route, guard.handlers(route.refuse));
  app.use(routeUndecodablePath);
  app.use(...guard.handlers(respondWithRefusal), (_request, response) =>
    respondWithRefusal(response, refuse('NotFound')),
  );
  app.use(errorHandler(log));
  return app;
}

function addRoute(app: Express, route: Route, guards: readonly RequestHandler[]): void {
  const { method, path, refuse, handle } = route;
  const allowed = method === 'get' ? ['GET', 'HEAD'] : ['POST'];
  app
    .route(path)
    [method](...guards, checkQuery(route), handle)
    .all(...guards, refuseMethod(allowed, refuse));
}

function refuseMethod(allowed: readonly string[], respond: Route['refuse']): RequestHandler {
  return (_request, response) => respond(response, refuse('MethodNotAllowed', { allowed }));
}
