import { parse as parseQuery } from 'node:querystring';
import express, { type Express, type RequestHandler } from 'express';
import 'express-async-errors';
import type { AppDependencies } from './app-dependencies.ts';
import type { CallerGuard } from './callers/caller-guard.ts';
import { createRoutes } from './create-routes.ts';
import { answerRefusal } from './envelope.ts';
import { methodNotAllowed, notFound } from './http-refusal.ts';
import { answerErrors, takeUndecodable } from './middleware/answer-errors.ts';
import { entryChecks } from './middleware/entry-checks.ts';
import { logRequests } from './middleware/log-requests.ts';
import { responseHeaders } from './middleware/response-headers.ts';
import { checkQuery } from './query-parameters.ts';
import type { Route, SigningRoute } from './route.ts';
import { documentRoutes } from './routes/documents.ts';
import { healthzRoute } from './routes/healthz.ts';
import { readyzRoute } from './routes/readyz.ts';

/** Applications of one service, without servers; they share everything but their paths. */
export interface Apps {
  readonly api: Express;
  /**
   * Reload, status and metrics, where they have a listener of their own; null where the first has
   * them.
   */
  readonly admin: Express | null;
}

/**
 * The HTTP API, without a server: the specification's six endpoints, verification, health, what
 * says how to call them, and the error envelope for everything else. Paths match exactly, in case
 * and in the slash at their end.
 *
 * Express routes every request. To put a middleware in front of all of them, mount the application
 * in one that has it, and have that served:
 *
 * ```ts
 * const guarded = express().disable('x-powered-by').use(middleware, createApp(dependencies));
 * ```
 */
export function createApp(dependencies: AppDependencies): Express {
  const { signing, accounts, admin, metrics, guard } = createRoutes(dependencies);
  return appOf(dependencies, guard, {
    signing,
    guarded: [...accounts, ...admin, metrics.guarded],
    open: documentRoutes(dependencies),
    isHealthBrief: areCallersIdentified(dependencies),
  });
}

/**
 * The same in two, so that reload, status and metrics can be put where callers that sign don't get.
 * Both tell of their health, the first in brief.
 */
export function createApps(dependencies: AppDependencies, isAdminApart: boolean): Apps {
  if (!isAdminApart) return { api: createApp(dependencies), admin: null };
  const { signing, accounts, admin, metrics, guard } = createRoutes(dependencies);
  const open = documentRoutes(dependencies);
  return {
    api: appOf(dependencies, guard, { signing, guarded: accounts, open, isHealthBrief: true }),
    admin: appOf(dependencies, guard, { signing: [], guarded: admin, open: [metrics.open], isHealthBrief: false }),
  };
}

/**
 * Whether the status is for identified callers alone: then health, which is open, does not show the
 * same.
 */
function areCallersIdentified({ callerChecks, authentication }: AppDependencies): boolean {
  return callerChecks.length > 0 || authentication?.isRequired === true;
}

/** The routes of one application. */
interface ServedRoutes {
  readonly signing: readonly SigningRoute[];
  readonly guarded: readonly Route[];
  /** Their callers are neither identified nor limited. */
  readonly open: readonly Route[];
  readonly isHealthBrief: boolean;
}

function appOf(
  { networks, readiness, metrics, tls, log }: AppDependencies,
  guard: CallerGuard,
  { signing, guarded, open, isHealthBrief }: ServedRoutes,
): Express {
  const { trustedProxies } = networks;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // No limit on the number of parameters, which would hide those beyond: their bytes are limited.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }));
  if (trustedProxies !== null) app.set('trust proxy', (address: string) => trustedProxies.includes(address));

  app.use(responseHeaders(tls !== null), entryChecks(networks, metrics, log));
  const logRequest = logRequests(log);
  for (const { path, shed, refuse, handle } of signing) {
    app
      .route(path)
      .post(shed, logRequest, ...guard.identify(refuse), handle)
      .all(logRequest, ...guard.handlers(refuse), refuseMethod(['POST'], refuse));
  }
  app.use(logRequest);
  const health = [healthzRoute(), readyzRoute(readiness, isHealthBrief ? log : null)];
  for (const route of [...health, ...open]) addRoute(app, route, []);
  for (const route of guarded) addRoute(app, route, guard.handlers(route.refuse));
  app.use(takeUndecodable);
  app.use(...guard.handlers(answerRefusal), (_request, response) => answerRefusal(response, notFound()));
  app.use(answerErrors(log));
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

function refuseMethod(allowed: readonly string[], refuse: Route['refuse']): RequestHandler {
  return (_request, response) => {
    response.setHeader('Allow', allowed.join(', '));
    return refuse(response, methodNotAllowed(allowed));
  };
}
