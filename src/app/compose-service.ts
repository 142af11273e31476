import './express-without-eval.ts';
import type { Container } from 'inversify';
import type { CheckpointCopies } from '../adapters/audit/checkpoint/checkpoint-copy.ts';
import { createApps } from '../adapters/http/app.ts';
import { clientCertificateCheck } from '../adapters/http/callers/client-certificate-check.ts';
import type { ClientTrust } from '../adapters/http/tls/client-trust.ts';
import { ForwardedClients } from '../adapters/http/tls/forwarded-clients.ts';
import { reloadView, showFact } from '../adapters/http/views.ts';
import { allowUnlockedMemory, getMemoryLockState } from '../adapters/vault/locked-buffer.ts';
import type { ProcessState } from '../domain/model/service-state.ts';
import { MonitoringService } from '../domain/services/monitoring-service.ts';
import { RequestedReloadService } from '../domain/services/reload-service.ts';
import type { WallClock } from '../ports/clock.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import { KeyRefreshes } from './background/key-refreshes.ts';
import { RetiredKeyWipes } from './background/retired-key-wipes.ts';
import { createTlsManager } from './background/tls-manager.ts';
import { WatchedReloads } from './background/watched-reloads.ts';
import { purgeKeys } from './compose.ts';
import { bindWithParts, type PartsOf, TOKENS as T } from './container-tokens.ts';
import { loadKeyStoreModule } from './key-store-module.ts';
import { Listeners } from './listeners.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { logExposure } from './settings/configuration-warnings.ts';
import type { Settings } from './settings/settings.ts';
import { logConfiguration, warnOfFilesAndClock } from './start-report.ts';

/**
 * Parts of a running service in the order of opening: the audit sink before the apps, so that every
 * request that is served can be recorded.
 */
const PARTS = {
  settings: T.Settings,
  log: T.ServiceLog,
  tls: T.Tls,
  keyStore: T.KeyStore,
  source: T.CredentialSource,
  redis: T.RedisLink,
  authentication: T.Authentication,
  traces: T.Traces,
  sink: T.AuditSink,
  audit: T.AuditEntryService,
  budgets: T.BudgetLedger,
  auditDisk: T.AuditDiskWatch,
  registry: T.RegistryHolder,
  reloads: T.WatchedReloads,
  refreshes: T.KeyRefreshes,
  retiredKeyWipes: T.RetiredKeyWipes,
  readiness: T.ReadinessService,
  listeners: T.Listeners,
  apps: T.Apps,
} as const;

/** Everything that the lifecycle works with. */
export type ServiceParts = PartsOf<typeof PARTS> & {
  /** Wipes every key. Safe to call twice. */
  readonly purge: () => void;
};

/**
 * Opens every part of a running service; wipes all keys if one fails.
 * @throws what the adapters throw if memory cannot be locked or a file cannot be opened
 */
export async function openService(container: Container): Promise<ServiceParts> {
  const settings = container.get(T.Settings);
  const log = container.get(T.ServiceLog);
  // First, so that the log has them even if the service does not start.
  logConfiguration(settings, log);
  logExposure(settings, log);
  warnOfFilesAndClock(settings, log);
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => log.warn(warning));
  if (settings.keyStoreModule !== null) {
    container.rebind(T.KeyStore).toConstantValue(await loadKeyStoreModule(settings.keyStoreModule));
    log.warn('SIGNING_KEY_STORE_MODULE replaces the key vault: do not use real keys.', {
      module: settings.keyStoreModule,
    });
  }
  bindCallers(container, settings);
  bindTraces(container, settings, log);
  bindBackgroundWork(container, settings);
  bindHttp(container, settings);

  const opened: { [name: string]: unknown } = {};
  try {
    for (const [name, token] of Object.entries(PARTS)) opened[name] = await container.getAsync<unknown>(token);
  } catch (error) {
    await close(opened as Partial<ServiceParts>, container);
    throw error;
  }
  return { ...(opened as unknown as ServiceParts), purge: () => purgeKeys(container) };
}

async function close(opened: Partial<ServiceParts>, container: Container): Promise<void> {
  opened.tls?.stop();
  opened.redis?.close();
  opened.authentication?.stop();
  void opened.traces?.close();
  opened.refreshes?.stop();
  opened.retiredKeyWipes?.stop();
  try {
    await opened.sink?.close();
  } finally {
    // Purging would create the key store.
    if (opened.keyStore !== undefined) purgeKeys(container);
  }
}

/** Authentication of callers: client certificates and access tokens. */
function bindCallers(container: Container, settings: Settings): void {
  container
    .bind(T.Tls)
    .toResolvedValue((clock, log) => createTlsManager(settings, clock, log), [T.Clock, T.ServiceLog]);
  const { mode, authoritiesFile, tokenFile } = settings.auth;
  if (mode === 'off') {
    container.bind(T.Authentication).toConstantValue(null);
    return;
  }
  container.bind(T.Authentication).toResolvedValue(
    async (key, verifier, guard, hasher, clock, log) => {
      // Loads the protobuf library only where it is used.
      const { createAuthenticationRuntime } = await import('./background/authentication-runtime.ts');
      return createAuthenticationRuntime({
        ...{ mode, authoritiesFile, tokenFile, watch: settings.watch, production: settings.production },
        expiryWarningDays: settings.expiryWarningDays,
        ...{ key, verifier, guard, hasher, clock, log },
      });
    },
    [T.AuthKey, T.SignatureVerifier, T.ReplayGuard, T.Hasher, T.Clock, T.ServiceLog],
  );
}

/** Distributed tracing; loads its packages only with an endpoint. */
function bindTraces(container: Container, { traceEndpoint, instanceId }: Settings, log: ServiceLog): void {
  if (traceEndpoint === null) {
    container.bind(T.Traces).toConstantValue(null);
    return;
  }
  container.bind(T.Traces).toResolvedValue(
    async (clock) => {
      const { loadOpenTelemetry } = await import('../adapters/observability/load-opentelemetry.ts');
      const { OtlpTraces } = await import('../adapters/observability/otlp-traces.ts');
      const library = await loadOpenTelemetry();
      log.info('Traces are sent.', { endpoint: new URL(traceEndpoint).origin });
      return new OtlpTraces(library, { version: SERVICE_VERSION, instanceId, clock, log });
    },
    [T.Clock],
  );
}

/** Background work and monitoring. */
function bindBackgroundWork(
  container: Container,
  { keyRefreshSeconds, watch, metricsAccounts, expiryWarningDays }: Settings,
): void {
  container
    .bind(T.KeyRefreshes)
    .toResolvedValue(
      (keyStore, clock, log) => new KeyRefreshes({ seconds: keyRefreshSeconds, keyStore, clock, log }),
      [T.KeyStore, T.Clock, T.ServiceLog],
    );
  container.bind(T.RetiredKeyWipes).toResolvedValue((retiredKeys) => new RetiredKeyWipes(retiredKeys), [T.RetiredKeys]);
  container
    .bind(T.WatchedReloads)
    .toResolvedValue(
      (reloads, history, source, log) => new WatchedReloads({ reloads, history, source, log, watch }),
      [T.ReloadService, T.ReloadHistory, T.CredentialSource, T.ServiceLog],
    );
  container
    .bind(T.RequestedReloadService)
    .toResolvedValue(
      (registry, reloads, audit, clock, log) => new RequestedReloadService({ registry, reloads, audit, clock, log }),
      [T.RegistryHolder, T.WatchedReloads, T.AuditEntryService, T.Clock, T.ServiceLog],
    );
  const monitored = {
    metrics: T.Metrics,
    registry: T.RegistryHolder,
    usage: T.UsageLedger,
    performance: T.SigningPerformance,
    sink: T.AuditSink,
    reloads: T.ReloadHistory,
    readiness: T.ReadinessService,
    keyStore: T.KeyStore,
    clock: T.Clock,
    auditDisk: T.AuditDiskWatch,
    refreshes: T.KeyRefreshes,
    listeners: T.Listeners,
    authentication: T.Authentication,
    checkpoints: T.CheckpointCopies,
  };
  bindWithParts(
    container,
    T.MonitoringService,
    monitored,
    (parts) =>
      new MonitoringService({
        ...parts,
        isWatched: watch,
        namesAccounts: metricsAccounts,
        collectProcess: () => collectProcessState(parts, expiryWarningDays),
      }),
  );
}

/** The HTTP API and its listeners. */
function bindHttp(container: Container, settings: Settings): void {
  const { networks, hasConsole, expiryWarningDays, maxBatch, maxInFlight, maxQueue, logsRequests } = settings;
  container
    .bind(T.Listeners)
    .toResolvedValue(
      ({ tls }, metrics, log) => new Listeners({ tls, networks, metrics, log }),
      [T.Tls, T.Metrics, T.ServiceLog],
    );
  const served = {
    signing: T.SignRequestService,
    dryRuns: T.DryRunService,
    batches: T.SignBatchService,
    verification: T.VerifySignatureService,
    accounts: T.AccountService,
    reloads: T.RequestedReloadService,
    status: T.StatusService,
    activity: T.RecentActivity,
    readiness: T.ReadinessService,
    monitoring: T.MonitoringService,
    metrics: T.Metrics,
    traces: T.Traces,
    audit: T.AuditEntryService,
    rateLimits: T.RateLimiters,
    clock: T.Clock,
    log: T.ServiceLog,
    tlsManager: T.Tls,
    auth: T.Authentication,
    history: T.ReloadHistory,
    auditDisk: T.AuditDiskWatch,
  };
  bindWithParts(container, T.Apps, served, ({ tlsManager, auth, history, auditDisk, ...services }) => {
    const { tls, clients } = tlsManager;
    showFact(services.readiness, 'tls', () => tls?.certificate.report() ?? null);
    auth?.showInReadiness(services.readiness);
    showFact(services.readiness, 'config', () => reloadView(history.last));
    showFact(services.readiness, 'audit', () => ({ disk: { ...auditDisk.state } }));
    const forwarded = createForwardedClients(settings, clients, services.clock);
    const callerChecks = clients === null ? [] : [clientCertificateCheck(clients, forwarded)];
    const callers = { tls, forwarded, callerChecks, authentication: auth?.authentication ?? null };
    return createApps(
      {
        ...{ ...services, ...callers, networks, hasConsole, expiryWarningDays },
        ...{ maxBatch, maxInFlight, maxQueue, logsRequests },
      },
      settings.admin !== null,
    );
  });
}

/** Null unless proxies may forward client certificates. */
function createForwardedClients(
  { forwardedCertificates: settings }: Settings,
  trust: ClientTrust | null,
  clock: WallClock,
): ForwardedClients | null {
  if (settings === null || trust === null) return null;
  const { header, proxies } = settings;
  return new ForwardedClients({ header, trust, proxies, clock });
}

/** State of this process and its surroundings. Never rejects. */
async function collectProcessState(
  {
    auditDisk,
    refreshes,
    listeners,
    authentication,
    checkpoints,
  }: Pick<ServiceParts, 'auditDisk' | 'refreshes' | 'listeners' | 'authentication'> & {
    readonly checkpoints: CheckpointCopies;
  },
  expiryWarningDays: number,
): Promise<ProcessState> {
  const [, listenerStates, authenticationState] = await Promise.all([
    auditDisk.check(),
    listeners.state(),
    authentication?.state() ?? null,
  ]);
  return {
    version: SERVICE_VERSION,
    nodeVersion: process.version,
    isMemoryLocked: getMemoryLockState() === 'locked',
    refreshes: refreshes.state,
    auditFreeBytes: auditDisk.state.freeBytes,
    listeners: listenerStates,
    authentication: authenticationState,
    expiryWarningDays,
    checkpointCopies: checkpoints.states,
  };
}
