import express, { type Express } from 'express';
import 'express-async-errors';
import helmet from 'helmet';
import type { AccountService } from '../../../domain/services/account-service.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import type { ReadinessService } from '../../../domain/services/readiness-service.ts';
import type { ReloadService } from '../../../domain/services/reload-service.ts';
import type { SignBatchService } from '../../../domain/services/sign-batch-service.ts';
import type { SignRequestService } from '../../../domain/services/sign-request-service.ts';
import type { StatusService } from '../../../domain/services/status-service.ts';
import type { VerifySignatureService } from '../../../domain/services/verify-signature-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { answerRefusal } from './envelope.ts';
import { methodNotAllowed, notFound } from './http-refusal.ts';
import { MalformedSigningRequests } from './malformed-signing-requests.ts';
import { answerErrors } from './middleware/answer-errors.ts';
import { logRequests } from './middleware/log-requests.ts';
import { openCalls } from './middleware/open-calls.ts';
import { requireHost } from './middleware/require-host.ts';
import { SigningIntake } from './overload/signing-intake.ts';
import type { Route } from './route.ts';
import { accountRoute } from './routes/account.ts';
import { accountsRoute } from './routes/accounts.ts';
import { configReloadRoute } from './routes/config-reload.ts';
import { healthzRoute } from './routes/healthz.ts';
import { readyzRoute } from './routes/readyz.ts';
import { signRoute } from './routes/sign.ts';
import { signBatchRoute } from './routes/sign-batch.ts';
import { statusRoute } from './routes/status.ts';
import { verifyRoute } from './routes/verify.ts';
import type { TlsCertificate } from './tls-certificate.ts';

/** What the application serves. */
export interface AppDependencies {
  readonly signing: Pick<SignRequestService, 'sign'>;
  readonly batches: Pick<SignBatchService, 'signAll'>;
  readonly verification: Pick<VerifySignatureService, 'verify'>;
  readonly accounts: Pick<AccountService, 'list' | 'page' | 'find'>;
  readonly reloads: Pick<ReloadService, 'reload'>;
  readonly status: Pick<StatusService, 'report'>;
  readonly readiness: Pick<ReadinessService, 'report'>;
  /** The certificate that is shown; null for HTTP. */
  readonly tls: Pick<TlsCertificate, 'report'> | null;
  readonly audit: Pick<AuditEntryService, 'recordMalformedRequest'>;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** Most items in one batch. */
  readonly maxBatch: number;
  /** Most signatures in the making at once, a quarter of them for single requests. */
  readonly maxInFlight: number;
  /** Most single signing requests that wait for that. */
  readonly maxQueue: number;
}

/**
 * The HTTP API, without a server: the specification's six endpoints, verification, health, and the error envelope for everything else. Paths match exactly, in case and in the slash at their end.
 */
export function createApp(dependencies: AppDependencies): Express {
  const { signing, batches, verification, accounts, reloads, status, readiness } = dependencies;
  const { tls, audit, clock, log, maxBatch, maxInFlight, maxQueue } = dependencies;
  const intake = new SigningIntake({ maxInFlight, maxQueue }, log);
  const parts = { intake, clock, log, malformed: new MalformedSigningRequests(audit, log, 'sign') };
  const routes = [
    signRoute(signing, parts),
    signBatchRoute(batches, maxBatch, parts),
    verifyRoute(verification, { ...parts, malformed: new MalformedSigningRequests(audit, log, 'verify') }),
    accountsRoute(accounts, intake, clock),
    accountRoute(accounts),
    configReloadRoute(reloads),
    statusRoute(status, intake, tls),
  ];

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');

  app.use(openCalls, requireHost);
  for (const { method, path, passBy } of routes) if (passBy !== undefined) app[method](path, passBy);
  app.use(logRequests(log), helmet());
  // Before whatever may stand in front of the API: who asks for health has no credentials.
  for (const route of [healthzRoute(), readyzRoute(readiness)]) addRoute(app, route);
  for (const route of routes) addRoute(app, route);
  app.use((_request, response) => answerRefusal(response, notFound()));
  app.use(answerErrors(log));
  return app;
}

function addRoute(app: Express, { method, path, handle, refuse }: Route): void {
  const allowed = method === 'get' ? ['GET', 'HEAD'] : ['POST'];
  app
    .route(path)
    [method](handle)
    .all((_request, response) => {
      response.setHeader('Allow', allowed.join(', '));
      return refuse(response, methodNotAllowed(allowed));
    });
}
