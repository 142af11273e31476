import express, { type Express, type RequestHandler } from 'express';
import 'express-async-errors';
import helmet from 'helmet';
import type { AccountService } from '../../../domain/services/account-service.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import type { MonitoringService } from '../../../domain/services/monitoring-service.ts';
import type { ReadinessService } from '../../../domain/services/readiness-service.ts';
import type { RequestedReloadService } from '../../../domain/services/requested-reload-service.ts';
import type { SignBatchService } from '../../../domain/services/sign-batch-service.ts';
import type { SignRequestService } from '../../../domain/services/sign-request-service.ts';
import type { StatusService } from '../../../domain/services/status-service.ts';
import type { VerifySignatureService } from '../../../domain/services/verify-signature-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Counting } from '../../../ports/metrics.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { changeHead, setHeldHead, standingHeaders } from './answer-head.ts';
import type { RequestAuthentication } from './authentication/request-authentication.ts';
import type { CallerCheck } from './callers/caller-check.ts';
import { CallerLimits } from './callers/caller-limits.ts';
import { Entrance } from './callers/entrance.ts';
import { FailedProofs } from './callers/failed-proofs.ts';
import { type DirectRoute, standInFront } from './direct-routes.ts';
import { answerRefusal } from './envelope.ts';
import { methodNotAllowed, notFound } from './http-refusal.ts';
import { MalformedSigningRequests } from './malformed-signing-requests.ts';
import { answerErrors } from './middleware/answer-errors.ts';
import { logRequests } from './middleware/log-requests.ts';
import { measureRequests } from './middleware/measure-requests.ts';
import { HEADERS_AT_THE_DOOR, openCalls } from './middleware/open-calls.ts';
import { refuseOutsiders } from './middleware/refuse-outsiders.ts';
import { refusePages } from './middleware/refuse-pages.ts';
import { requireClearLength } from './middleware/require-clear-length.ts';
import { requireHost } from './middleware/require-host.ts';
import { requireHttp1 } from './middleware/require-http1.ts';
import type { ServedNetworks } from './networks/served-networks.ts';
import { SigningIntake } from './overload/signing-intake.ts';
import type { RateLimits } from './rate-limits-view.ts';
import { RefusedQuestions } from './refused-questions.ts';
import type { Route } from './route.ts';
import { accountRoute } from './routes/account.ts';
import { accountsRoute } from './routes/accounts.ts';
import { configReloadRoute } from './routes/config-reload.ts';
import { documentRoutes } from './routes/documents.ts';
import { healthzRoute } from './routes/healthz.ts';
import { metricsRoute } from './routes/metrics.ts';
import { readyzRoute } from './routes/readyz.ts';
import { signRoute } from './routes/sign.ts';
import { signBatchRoute } from './routes/sign-batch.ts';
import { statusRoute } from './routes/status.ts';
import { verifyRoute } from './routes/verify.ts';
import type { ServerTls } from './tls/server-tls.ts';

/** Who asks for health, or how to call, has no credentials, and pays nothing. */
const OPEN: Pick<Entrance, 'before'> = { before: (handler) => handler };

/** Of every answer but those at the door. */
const HEADERS = standingHeaders((message) => {
  for (const [name, value] of HEADERS_AT_THE_DOOR.list) message.setHeader(name, value);
  helmet()(message as never, message as never, () => undefined);
});

/** What the application serves. */
export interface AppDependencies {
  readonly signing: Pick<SignRequestService, 'sign'>;
  readonly batches: Pick<SignBatchService, 'signAll'>;
  readonly verification: Pick<VerifySignatureService, 'verify'>;
  readonly accounts: Pick<AccountService, 'list' | 'page' | 'find'>;
  readonly reloads: Pick<RequestedReloadService, 'request'>;
  readonly status: Pick<StatusService, 'report'>;
  readonly monitoring: Pick<MonitoringService, 'page' | 'refusalOf'>;
  readonly metrics: Pick<Counting, 'answered'>;
  readonly readiness: Pick<ReadinessService, 'report' | 'facts'>;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  readonly networks: ServedNetworks;
  readonly audit: Pick<AuditEntryService, 'recordMalformedRequest' | 'recordForbidden'>;
  /** What a request to any route but those of health has to pass first, in this order. */
  readonly callerChecks: readonly CallerCheck[];
  readonly rateLimits: RateLimits;
  /** Null where callers are not asked who they are. */
  readonly authentication: Pick<RequestAuthentication, 'begin' | 'isRequired'> | null;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** Most items in one batch. */
  readonly maxBatch: number;
  /** Most signatures in the making at once, a quarter of them for single requests. */
  readonly maxInFlight: number;
  /** Most single signing requests that wait for that. */
  readonly maxQueue: number;
}

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

/** The endpoints, by who uses them: callers, or operators. */
interface Routes {
  readonly signing: readonly Route[];
  readonly admin: readonly Route[];
  /** Metrics, for who may have the status, or for whoever gets to the port. */
  readonly metrics: { readonly asked: Route; readonly open: Route };
  /** What they stand behind. */
  readonly entrance: Entrance;
}

function createRoutes(dependencies: AppDependencies): Routes {
  const { signing, batches, verification, accounts, reloads, status, readiness, monitoring } = dependencies;
  const { tls, authentication, audit, callerChecks, rateLimits, clock, log, maxBatch, maxInFlight, maxQueue } =
    dependencies;
  const limits = rateLimits.callers === null ? null : new CallerLimits(rateLimits.callers, log);
  const proofs = new FailedProofs(rateLimits.failures, log);
  const asked = authentication === null ? null : { authentication, proofs };
  const intake = new SigningIntake({ maxInFlight, maxQueue }, log, { asked, limits });
  const questions = new RefusedQuestions(audit, log);
  const parts = { intake, limits, clock, log, malformed: new MalformedSigningRequests(audit, log, 'sign') };
  const traffic = { intake, maxInFlight, maxQueue, limits, proofs, rateLimits, tls };
  const pages = { monitoring, traffic, intake, clock };
  return {
    signing: [
      signRoute(signing, parts),
      signBatchRoute(batches, maxBatch, parts),
      verifyRoute(verification, { ...parts, malformed: new MalformedSigningRequests(audit, log, 'verify') }),
      accountsRoute(accounts, { intake, clock, questions }),
      accountRoute(accounts, questions),
    ],
    admin: [
      configReloadRoute(reloads, new MalformedSigningRequests(audit, log, 'reload')),
      statusRoute(status, { intake, limits, proofs, rateLimits, tls, readiness, questions }),
    ],
    metrics: { asked: metricsRoute(pages, questions), open: metricsRoute(pages, null) },
    entrance: new Entrance({ checks: callerChecks, limits, proofs, intake, isAuthenticated: asked !== null }),
  };
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
  app.set('query parser', 'simple');
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

  const door = [requireHttp1, requireClearLength, requireHost, refusePages(log)];
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
  const { method, path, handle, refuse } = route;
  const allowed = method === 'get' ? ['GET', 'HEAD'] : ['POST'];
  const refuseMethod: Route['handle'] = (_request, response) => {
    response.setHeader('Allow', allowed.join(', '));
    return refuse(response, methodNotAllowed(allowed));
  };
  app.route(path)[method](entrance.before(handle, route)).all(entrance.before(refuseMethod, { refuse }));
}
