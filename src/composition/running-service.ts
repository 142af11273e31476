import './express-without-eval.ts';
import type { Container } from 'inversify';
import { createApps } from '../adapters/driving/http/app.ts';
import { clientCertificateCheck } from '../adapters/driving/http/callers/client-certificate-check.ts';
import type { RateLimits } from '../adapters/driving/http/rate-limits-view.ts';
import { showFact } from '../adapters/driving/http/readiness-view.ts';
import { reloadView } from '../adapters/driving/http/reload-view.ts';
import type { JsonObject } from '../domain/model/json.ts';
import type { Outcome } from '../domain/model/outcome.ts';
import type { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import { MonitoringService } from '../domain/services/monitoring-service.ts';
import type { ReloadResult } from '../domain/services/reload-service.ts';
import { RequestedReloadService } from '../domain/services/requested-reload-service.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import { allowUnlockedMemory } from '../secure-memory/memory-lock.ts';
import { assertDone } from './assert-done.ts';
import { tellCallerCautions } from './caller-cautions.ts';
import { keepTls } from './keep-tls.ts';
import { loadKeyStoreModule } from './key-store-module.ts';
import { Listeners } from './listeners.ts';
import { openAuthentication } from './open-authentication.ts';
import { OrderlyStop } from './orderly-stop.ts';
import { tellPlainHttp } from './plain-http.ts';
import { lookAround } from './process-state.ts';
import { purgeKeys } from './purge-keys.ts';
import { KeyRefreshes } from './refresh-keys.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Settings } from './settings.ts';
import { AUDIT_DISK, REDIS_LINK } from './shared-parts.ts';
import { StartError } from './start-error.ts';
import { tellInventory, tellProgram } from './tell-beginning.ts';
import { TOKENS as T } from './tokens.ts';
import { WatchedReloads } from './watched-reloads.ts';

/** How long a stop waits for requests in flight, milliseconds: with the default of SIGNING_DRAIN_DELAY_MS before, less than the 10 seconds after which Docker kills, unless the disk hangs (docs/OPERATIONS.md has the sum). */
const DRAIN_MS = 6_000;

/** A service that answers requests. */
export interface RunningService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where reload and status are, if they have a listener of their own. */
  readonly adminUrl: string | null;
  /** Takes a new certificate, goes on in a new audit file where the old one was moved, and loads the configuration anew. */
  reload(): Promise<Outcome<ReloadResult>>;
  /** Says that it is not ready and goes on for SIGNING_DRAIN_DELAY_MS, so that whoever sends requests turns elsewhere; then stops. `stop` cuts that time short. */
  drain(): Promise<void>;
  /** Stops accepting, finishes what is in flight, makes the audit file complete and forgets every key. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts everything that `container` binds: the audit file first, then the keys, then the listener, so that a request is answered only when it can
 * be signed and recorded.
 * @param drainMs how long a stop waits for requests in flight, milliseconds
 * @throws StartError, and what the adapters throw when memory can't be locked, a file can't be opened or the port is taken
 */
export async function startService(
  settings: Settings,
  container: Container,
  drainMs = DRAIN_MS,
): Promise<RunningService> {
  const log = container.get(T.ServiceLog);
  tellProgram(settings, log);
  tellPlainHttp(settings, log);
  tellCallerCautions(settings, log);
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => log.warn(warning));
  const { tls, reload: reloadTls, stop: stopKeeping } = keepTls(settings, container.get(T.Clock), log);
  if (settings.keyStoreModule !== null) {
    container.rebind(T.KeyStore).toConstantValue(await loadKeyStoreModule(settings.keyStoreModule));
    log.warn('SIGNING_KEY_STORE_MODULE replaces the key vault: not for real keys.', {
      module: settings.keyStoreModule,
    });
  }

  const keyStore = container.get(T.KeyStore);
  const redis = await container.getAsync(REDIS_LINK);
  const authentication = await orPurge(container, () => openAuthentication(settings, container));
  const sink = await orPurge(container, () => container.getAsync(T.AuditSink));
  const audit = await container.getAsync(T.AuditEntryService);
  const reloads = new WatchedReloads({
    reloads: await container.getAsync(T.ReloadService),
    history: container.get(T.ReloadHistory),
    source: container.get(T.CredentialSource),
    ...{ log, watch: settings.watch },
  });
  const clock = container.get(T.Clock);
  const refreshes = new KeyRefreshes({ seconds: settings.keyRefreshSeconds, keyStore, clock, log });
  const auditDisk = container.get(AUDIT_DISK);
  const end = async () => {
    refreshes.stop();
    auditDisk.stop();
    reloads.stop();
    stopKeeping();
    redis?.close();
    authentication?.stop();
    try {
      await audit.recordLifecycle('stop', { version: SERVICE_VERSION });
      await sink.close();
    } finally {
      purgeKeys(container);
    }
  };

  try {
    await recordStart(audit, await startFacts(settings, container, sink), sink);
    await auditDisk.start();
    assertDone(await reloads.reload('start', null));
    const readiness = await container.getAsync(T.ReadinessService);
    showFact(readiness, 'tls', () => tls?.certificate.report() ?? null);
    authentication?.tell(readiness);
    showFact(readiness, 'config', () => reloadView(container.get(T.ReloadHistory).last));
    const { networks } = settings;
    const listeners = new Listeners(tls, networks, log);
    const metrics = await container.getAsync(T.Metrics);
    const dependencies = {
      signing: await container.getAsync(T.SignRequestService),
      batches: await container.getAsync(T.SignBatchService),
      verification: await container.getAsync(T.VerifySignatureService),
      accounts: container.get(T.AccountService),
      reloads: new RequestedReloadService({
        registry: container.get(T.RegistryHolder),
        ...{ reloads, audit, clock, log },
      }),
      status: await container.getAsync(T.StatusService),
      readiness,
      monitoring: new MonitoringService({
        ...{ metrics, readiness, sink, keyStore, clock },
        registry: container.get(T.RegistryHolder),
        usage: container.get(T.UsageLedger),
        performance: container.get(T.SigningPerformance),
        reloads: container.get(T.ReloadHistory),
        isWatched: settings.watch,
        namesAccounts: settings.metricsAccounts,
        lookAround: () => lookAround({ auditDisk, refreshes, listeners, authentication }),
      }),
      metrics,
      tls,
      networks,
      callerChecks: tls?.clients ? [clientCertificateCheck(tls.clients)] : [],
      authentication: authentication?.authentication ?? null,
      audit,
      rateLimits: await rateLimitsOf(container),
      clock,
      log,
      maxBatch: settings.maxBatch,
      maxInFlight: settings.maxInFlight,
      maxQueue: settings.maxQueue,
    };
    const apps = createApps(dependencies, settings.admin !== null);
    tellInventory(settings, container.get(T.RegistryHolder).current, sink, log);
    const url = await listeners.open(apps.api, settings, 'main');
    const adminUrl =
      apps.admin === null || settings.admin === null ? null : await listeners.open(apps.admin, settings.admin, 'admin');
    log.info('Listening.', {
      ...{ url, ...(adminUrl !== null && { adminUrl }) },
      ...{ version: SERVICE_VERSION, instanceId: settings.instanceId },
      callers: {
        networks: networks.allowed.networks,
        trustedProxies: networks.trustedProxies?.networks ?? [],
        clientCertificates: tls?.clients != null,
        auth: settings.auth.mode,
      },
    });

    const { drainDelayMs: delayMs } = settings;
    const orderly = new OrderlyStop({ readiness, server: listeners, log, delayMs, drainMs, end });
    return {
      url,
      adminUrl,
      reload: async () => {
        reloadTls();
        authentication?.reload();
        await sink.reopen();
        return reloads.reload('signal', null);
      },
      drain: () => orderly.drain(),
      stop: () => orderly.stop(),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function rateLimitsOf(container: Container): Promise<RateLimits> {
  return {
    callers: await container.getAsync(T.CallerRateLimiter),
    failures: await container.getAsync(T.FailureRateLimiter),
    accounts: await container.getAsync(T.AccountRateLimiter),
  };
}

/** When something can't be opened, a key was perhaps opened for it. */
async function orPurge<Opened>(container: Container, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    purgeKeys(container);
    throw error;
  }
}

/** @throws StartError that names the audit file and what to do when it can't be written */
async function recordStart(audit: AuditEntryService, facts: JsonObject, sink: AuditSink): Promise<void> {
  const outcome = await audit.recordLifecycle('start', facts);
  const fault = outcome.ok ? null : await sink.probe();
  if (fault !== null) throw new StartError(`${fault} This one has not started: start it again after that.`);
  assertDone(outcome);
}

/** What auditors want to know of a service that starts. */
async function startFacts({ keyStoreModule }: Settings, container: Container, sink: AuditSink): Promise<JsonObject> {
  return {
    version: SERVICE_VERSION,
    node: process.version,
    configurationDigest: await container.get(T.CredentialSource).digest(),
    // Whatever it says it is: not the vault of this service.
    keyStore: keyStoreModule === null ? container.get(T.KeyStore).constructor.name : 'SIGNING_KEY_STORE_MODULE',
    ...sink.facts,
  };
}
