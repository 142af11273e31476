import './express-without-eval.ts';
import { type AppDependencies, createApps } from '../adapters/http/app.ts';
import type { StateDependencies } from '../adapters/http/state/read-state.ts';
import { clientCertificateCheck, ForwardedClients } from '../adapters/http/tls/client-certificates.ts';
import { ClientTrust } from '../adapters/http/tls/client-trust.ts';
import { TlsCertificate } from '../adapters/http/tls/tls-certificate.ts';
import { settleWithin } from '../adapters/node/settle-within.ts';
import { allowUnlockedMemory, getMemoryLockState } from '../adapters/vault/locked-buffer.ts';
import type { ReloadTarget } from '../domain/flow/reloadable.ts';
import type { ReloadTrigger } from '../domain/model/service-state.ts';
import type { CallContext } from '../domain/model/sign-request.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { AdapterSet } from './adapters.ts';
import { AuditDiskWatch } from './background/audit-disk-watch.ts';
import { KeyRefreshes } from './background/key-refreshes.ts';
import { WatchedReloads } from './background/watched-reloads.ts';
import { composeServices, SERVICE_PORTS } from './compose.ts';
import { Listeners } from './listeners.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { logExposure } from './settings/configuration-warnings.ts';
import type { Settings } from './settings/settings.ts';
import { logConfiguration, warnOfFilesAndClock } from './start-report.ts';

/** Longest wait for the delivery of traces at a stop, milliseconds. */
const TRACES_MS = 1_000;

/** Longest time that a replaced key outlives its overlap, milliseconds. */
const WIPE_MS = 1000;

/** Replaces parts of the HTTP API by name; for tests. */
export type ReplaceDependencies = (dependencies: StateDependencies) => Partial<StateDependencies>;

/** How what was opened ends: in reverse order, at a stop as after a start that failed. */
export class Endings {
  readonly #endings: (() => unknown)[] = [];

  add(end: () => unknown): void {
    this.#endings.push(end);
  }

  /**
   * Runs each ending once, the last one first, and waits for it.
   * @throws the first error, after all have run
   */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let end = this.#endings.pop(); end !== undefined; end = this.#endings.pop()) {
      try {
        await end();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** Everything that the lifecycle works with. */
export type OpenService = Awaited<ReturnType<typeof openService>>;

/**
 * Opens every part of a running service: the audit file before the HTTP API, so that every request
 * that is served can be recorded. Each part that is opened adds its end to `endings`.
 * @throws what the adapters throw if memory cannot be locked or a file cannot be opened
 */
export async function openService(
  settings: Settings,
  adapters: AdapterSet,
  endings: Endings,
  replace: ReplaceDependencies = () => ({}),
) {
  endings.add(() => adapters.purge());
  const { log, clock } = await adapters.all('log', 'clock');
  endings.add(() => log.flush());
  // First, so that the log has them even if the service does not start.
  logConfiguration(settings, log);
  logExposure(settings, log);
  await warnOfFilesAndClock(settings, log);
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => log.warn(warning));
  if (settings.keyStoreModule !== null) {
    const module = settings.keyStoreModule;
    log.warn('SIGNING_KEY_STORE_MODULE replaces the key vault: do not use real keys.', { module });
  }

  const tls = openTls(settings, clock, log, endings);
  // Without locked memory, nothing else is opened.
  await adapters.get('keyStore');
  const { redis, traces } = await adapters.all('redis', 'traces');
  endings.add(() => redis?.close());
  endings.add(() => settleWithin(TRACES_MS, Promise.resolve(traces?.close()), () => undefined));
  const { mode } = settings.auth;
  const authentication =
    mode === 'off'
      ? null
      : await (await import('./background/authentication-runtime.ts')).openAuthentication(settings, mode, adapters);
  endings.add(() => authentication?.reloads.stop());
  const { sink } = await adapters.all('sink');
  endings.add(() => sink.close());

  const ports = await adapters.all(...SERVICE_PORTS);
  const services = composeServices(ports, settings);
  const { registry, loader, audit, readiness, retiredKeys } = services;
  const { keyStore, source, metrics, budgets } = ports;
  const { space, checkpoints } = await adapters.all('space', 'checkpoints');
  const auditDisk = new AuditDiskWatch({ file: settings.auditFile, space, log });
  const reloads = new WatchedReloads(
    { log, watch: settings.watch },
    () => source.files,
    () => ({
      get mayRetry() {
        return settings.watch && registry.lastReload?.isTransient === true;
      },
      reload: (trigger: ReloadTrigger | 'retry', context: CallContext | null) =>
        services.reloads.reload(trigger === 'retry' ? 'watch' : trigger, context),
    }),
  );
  source.onFiles(() => reloads.watchFiles());
  const refreshes = new KeyRefreshes({ seconds: settings.keyRefreshSeconds, keyStore, clock, log });
  const wipes = setInterval(() => retiredKeys.wipeExpired(), WIPE_MS).unref();
  endings.add(() => clearInterval(wipes));
  const listeners = new Listeners({ tls: tls.tls, metrics, log });

  if (settings.auth.mode === 'required' && authentication !== null) {
    readiness.requireAuthentication(() => authentication.guard.unavailability());
  }
  const dependencies: StateDependencies = {
    // Limits, networks and switches.
    ...settings,
    ...{ ...ports, ...services, auditDisk, checkpoints, listeners, refreshes, reloads, traces },
    ...createCallerChecks(settings, tls),
    authentication: authentication?.authentication ?? null,
    authenticationState: authentication,
    isMemoryLocked: () => getMemoryLockState() === 'locked',
    version: SERVICE_VERSION,
  };

  return {
    ...{ settings, log, tls, keyStore, source, authentication, sink, audit, budgets, registry, loader, readiness },
    ...{ auditDisk, reloads, listeners },
    /** Apart from the configuration. */
    files: [...tls.reloads, ...(authentication === null ? [] : [authentication.reloads])],
    apps: createApps({ ...dependencies, ...replace(dependencies) }, settings.admin !== null),
    /** To be stopped before the audit file is closed. */
    background: [auditDisk, reloads, refreshes],
  };
}

/** Certificate and client trust: also of HTTP, for certificates that proxies forward. */
function openTls(settings: Settings, clock: Clock, log: ServiceLog, endings: Endings) {
  const { tls: files, forwardedCertificates, watch, production, expiryWarningDays } = settings;
  const open = <Target extends ReloadTarget>(listFiles: () => readonly string[], load: () => Target) => {
    const reloads = new WatchedReloads({ log, watch }, listFiles, load);
    endings.add(() => reloads.stop());
    return reloads;
  };
  const certificate =
    files &&
    open(
      () => [files.certFile, files.keyFile],
      () => new TlsCertificate(files, clock, log, expiryWarningDays),
    );
  const trusted = files?.clients ?? forwardedCertificates?.clients ?? null;
  const clients =
    trusted &&
    open(
      () => [trusted.caFile, trusted.fingerprintsFile ?? trusted.caFile],
      () => new ClientTrust(trusted, clock, log, production),
    );
  return {
    tls: certificate && { certificate: certificate.target, clients: clients?.target ?? null },
    clients: clients?.target ?? null,
    reloads: [certificate, clients].filter((reloads) => reloads !== null),
  };
}

/** Identification of callers by client certificates, their own or one that a proxy forwards. */
function createCallerChecks(
  { forwardedCertificates }: Settings,
  { tls, clients }: ReturnType<typeof openTls>,
): Pick<AppDependencies, 'tls' | 'forwarded' | 'callerChecks'> {
  if (clients === null) return { tls, forwarded: null, callerChecks: [] };
  const forwarded =
    forwardedCertificates && new ForwardedClients(forwardedCertificates.header, forwardedCertificates.proxies, clients);
  return { tls, forwarded, callerChecks: [clientCertificateCheck(clients, forwarded)] };
}
