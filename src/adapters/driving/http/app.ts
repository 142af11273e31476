import { parse as parseQuery } from 'node:querystring';
import express, { type Express, type RequestHandler } from 'express';
import 'express-async-errors';
import helmet from 'helmet';
import { changeHead, setHeldHead, standingHeaders } from './answer-head.ts';
import type { AppDependencies } from './app-dependencies.ts';
import type { Entrance } from './callers/entrance.ts';
import { createRoutes } from './create-routes.ts';
import { type DirectRoute, standInFront } from './direct-routes.ts';
import { answerRefusal } from './envelope.ts';
import { methodNotAllowed, notFound } from './http-refusal.ts';
import { answerErrors } from './middleware/answer-errors.ts';
import { logRequests } from './middleware/log-requests.ts';
import { measureRequests } from './middleware/measure-requests.ts';
import { HEADERS_AT_THE_DOOR, openCalls } from './middleware/open-calls.ts';
import { limitHeaders, requireClearLength, requireHttp1 } from './middleware/refuse-and-close.ts';
import { refuseOutsiders } from './middleware/refuse-outsiders.ts';
import { refusePages } from './middleware/refuse-pages.ts';
import { requireHost } from './middleware/require-host.ts';
import { checkingQuery } from './query-parameters.ts';
import type { Route } from './route.ts';
import { documentRoutes } from './routes/documents.ts';
import { healthzRoute } from './routes/healthz.ts';
import { readyzRoute } from './routes/readyz.ts';

/** Who asks for health, or how to call, has no credentials, and pays nothing. */
const OPEN: Pick<Entrance, 'before'> = { before: (handler) => handler };

/** Of every answer but those at the door. */
const HEADERS = standingHeaders((message) => {
  for (const [name, value] of HEADERS_AT_THE_DOOR.list) message.setHeader(name, value);
  helmet()(message as never, message as never, () => undefined);
});

/** Applications of one service, without servers; they share everything but their paths. */
export interface Apps {
  readonly api: Express;
  /** Reload and status, where they have a listener of their own; null where the first has them. */
  readonly admin: Express | null;
}

/**
 * The HTTP API, without a server: the specification's six endpoints, verification, health, what says how to call them, and the error envelope for everything else. Paths match exactly, in case and in the slash at their end.
 */
export function createApp(dependencies: AppDependencies): Express {
  const { signing, admin, metrics, entrance } = createRoutes(dependencies);
  const routes = [...signing, ...admin, metrics.asked];
  return appOf(routes, documentRoutes(dependencies), entrance, dependencies, asksCallers(dependencies));
}

/** The same in two, so that reload, status and metrics can be put where callers that sign don't get. Both tell of their health, the first in brief. */
export function createApps(dependencies: AppDependencies, isAdminApart: boolean): Apps {
  if (!isAdminApart) return { api: createApp(dependencies), admin: null };
  const { signing, admin, metrics, entrance } = createRoutes(dependencies);
  return {
    api: appOf(signing, documentRoutes(dependencies), entrance, dependencies, true),
    admin: appOf(admin, [metrics.open], entrance, dependencies, false),
  };
}

/** Whether nobody gets to the status without saying who it is: then health, which asks nobody, does not show the same. */
function asksCallers({ callerChecks, authentication }: AppDependencies): boolean {
  return callerChecks.length > 0 || authentication?.isRequired === true;
}

/** @param openRoutes whose callers nobody asks who they are, nor counts */
function appOf(
  routes: readonly Route[],
  openRoutes: readonly Route[],
  entrance: Entrance,
  { networks, readiness, metrics, log }: AppDependencies,
  isHealthBrief: boolean,
): Express {
  const { allowed, trustedProxies } = networks;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // No limit on the number of parameters, which would hide those beyond: their bytes are limited.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }));
  if (trustedProxies !== null) app.set('trust proxy', (address: string) => trustedProxies.includes(address));

  for (const { method, path, passBy } of routes) if (passBy !== undefined) app[method](path, passBy);
  const checksInside = [logRequests(log), fullHead];
  app.use(...checksInside, settingHead);
  const health = [healthzRoute(), readyzRoute(readiness, isHealthBrief ? log : null)];
  for (const route of [...health, ...openRoutes]) addRoute(app, route, OPEN);
  const refusePath = entrance.before((_request, response) => answerRefusal(response, notFound()), {
    refuse: answerRefusal,
  });
  // Express would answer a path that it can't decode before anybody is asked who he is.
  app.use((request, response, next) => (isDecodable(request.path) ? next() : refusePath(request, response, next)));
  for (const route of routes) addRoute(app, route, entrance);
  app.use(refusePath);
  const answerError = answerErrors(log);
  app.use(answerError);

  const door = [limitHeaders, requireHttp1, requireClearLength, requireHost, refusePages(log)];
  standInFront(app, {
    checks: [openCalls(trustedProxies !== null), measureRequests(metrics), refuseOutsiders(allowed, log), ...door],
    routes: routes.flatMap((route) => directRoutes(route, entrance)),
    checksInside,
    answerError,
  });
  return app;
}

/** A route that is asked for again and again by the same first lines: those that take a body. */
function directRoutes(route: Route, entrance: Entrance): readonly DirectRoute[] {
  const { method, path, passBy } = route;
  if (passBy === undefined) return [];
  const common = { method: method.toUpperCase(), path, passBy, handle: entrance.before(route.handle, route) };
  return [
    { ...common, url: path, query: {} },
    { ...common, url: `${path}?include=payload`, query: { include: 'payload' } },
  ];
}

const fullHead: RequestHandler = (_request, response, next) => {
  changeHead(response, HEADERS);
  next();
};

/** For routes that write their answers in ways of their own. */
const settingHead: RequestHandler = (_request, response, next) => {
  setHeldHead(response);
  next();
};

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function addRoute(app: Express, route: Route, entrance: Pick<Entrance, 'before'>): void {
  const { method, path, refuse } = route;
  const allowed = method === 'get' ? ['GET', 'HEAD'] : ['POST'];
  const refuseMethod: Route['handle'] = (_request, response) => {
    response.setHeader('Allow', allowed.join(', '));
    return refuse(response, methodNotAllowed(allowed));
  };
  app
    .route(path)
    [method](entrance.before(checkingQuery(route), route))
    .all(entrance.before(refuseMethod, { refuse }));
}
