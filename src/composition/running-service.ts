import './express-without-eval.ts';
import type { Container } from 'inversify';
import { createApp } from '../adapters/driving/http/app.ts';
import { warnOfDroppedConnections } from '../adapters/driving/http/dropped-connections.ts';
import { reloadView } from '../adapters/driving/http/reload-view.ts';
import { createServer, listen } from '../adapters/driving/http/server.ts';
import { StoppableServer } from '../adapters/driving/http/stoppable-server.ts';
import type { JsonObject } from '../domain/model/json.ts';
import type { Outcome } from '../domain/model/outcome.ts';
import type { Refusal } from '../domain/model/refusal.ts';
import type { ReloadResult } from '../domain/services/reload-service.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import { allowUnlockedMemory } from '../secure-memory/memory-lock.ts';
import { keepCertificate } from './keep-certificate.ts';
import { loadKeyStoreModule } from './key-store-module.ts';
import { OrderlyStop } from './orderly-stop.ts';
import { purgeKeys } from './purge-keys.ts';
import { refreshKeysEvery } from './refresh-keys.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';
import { TOKENS as T } from './tokens.ts';
import { WatchedReloads } from './watched-reloads.ts';

/** How long a stop waits for requests in flight, milliseconds: with the default of SIGNING_DRAIN_DELAY_MS before, less than the 10 seconds after which Docker kills, unless the disk hangs (docs/OPERATIONS.md has the sum). */
const DRAIN_MS = 6_000;

/** A service that answers requests. */
export interface RunningService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
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
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => log.warn(warning));
  const { certificate: tls, stop: stopKeeping } = keepCertificate(settings, container.get(T.Clock), log);
  if (settings.keyStoreModule !== null) {
    container.rebind(T.KeyStore).toConstantValue(await loadKeyStoreModule(settings.keyStoreModule));
    log.warn('SIGNING_KEY_STORE_MODULE replaces the key vault: not for real keys.', {
      module: settings.keyStoreModule,
    });
  }

  const keyStore = container.get(T.KeyStore);
  const sink = await auditSinkOf(container);
  const audit = await container.getAsync(T.AuditEntryService);
  const reloads = new WatchedReloads({
    reloads: await container.getAsync(T.ReloadService),
    history: container.get(T.ReloadHistory),
    source: container.get(T.CredentialSource),
    ...{ log, watch: settings.watch },
  });
  const stopRefreshing = refreshKeysEvery(settings.keyRefreshSeconds, keyStore, log);
  const end = async () => {
    stopRefreshing();
    reloads.stop();
    stopKeeping();
    try {
      const recorded = await audit.recordLifecycle('stop', { version: SERVICE_VERSION });
      if (!recorded.ok) log.error('The audit record of the stop could not be written.', { ...recorded.refusal });
      await sink.close();
    } finally {
      purgeKeys(container);
    }
  };

  try {
    assertDone(await audit.recordLifecycle('start', await startFacts(settings, container, sink)));
    assertDone(await reloads.reload('start', null));
    const readiness = await container.getAsync(T.ReadinessService);
    readiness.show('tls', () => tls?.report() ?? null);
    readiness.show('config', () => reloadView(container.get(T.ReloadHistory).last));
    const app = createApp({
      signing: await container.getAsync(T.SignRequestService),
      batches: await container.getAsync(T.SignBatchService),
      verification: await container.getAsync(T.VerifySignatureService),
      accounts: container.get(T.AccountService),
      reloads,
      status: await container.getAsync(T.StatusService),
      readiness,
      tls,
      audit,
      clock: container.get(T.Clock),
      log,
      maxBatch: settings.maxBatch,
      maxInFlight: settings.maxInFlight,
      maxQueue: settings.maxQueue,
    });
    const server = createServer(app, tls);
    warnOfDroppedConnections(server, log);
    const stoppable = new StoppableServer(server);
    const { address, port } = await listen(server, settings.host, settings.port);
    const url = `${tls === null ? 'http' : 'https'}://${hostText(address)}:${port}`;
    log.info('Listening.', { url, version: SERVICE_VERSION, instanceId: settings.instanceId });

    const { drainDelayMs: delayMs } = settings;
    const orderly = new OrderlyStop({ readiness, server: stoppable, log, delayMs, drainMs, end });
    return {
      url,
      reload: async () => {
        tls?.reload();
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

/** When it can't be opened, the audit key was perhaps opened for it. */
async function auditSinkOf(container: Container): Promise<AuditSink> {
  try {
    return await container.getAsync(T.AuditSink);
  } catch (error) {
    purgeKeys(container);
    throw error;
  }
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

function assertDone(outcome: Outcome<unknown>): void {
  if (outcome.ok) return;
  throw new StartError(explain(outcome.refusal), { cause: outcome.refusal.cause });
}

function explain({ message, details }: Refusal): string {
  const issues = Array.isArray(details['issues']) ? details['issues'] : [];
  const lines = issues.map(({ path, message: what }) => `  ${path === '' ? '' : `${path}: `}${what}`);
  const heading = typeof details['path'] === 'string' ? `${details['path']} can not be loaded:` : message;
  return [heading, ...lines].join('\n');
}

function hostText(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
