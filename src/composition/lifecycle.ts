import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Container } from 'inversify';
import { OperatorError } from '../domain/model/errors.ts';
import type { JsonObject } from '../domain/model/json.ts';
import type { Outcome } from '../domain/model/outcome.ts';
import type { Refusal } from '../domain/model/refusal.ts';
import type { ReloadResult } from '../domain/services/reload-service.ts';
import { openService, type ServiceParts } from './compose-service.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { logLoadedAccounts } from './start-report.ts';

/**
 * How long a stop waits for requests in flight, milliseconds: with the default of
 * SIGNING_DRAIN_DELAY_MS before, less than the 10 seconds after which Docker kills, unless the disk
 * hangs (docs/OPERATIONS.md has the sum).
 */
const DRAIN_MS = 6_000;

/** A service that serves requests. */
export interface RunningService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where reload and status are, if they have a listener of their own. */
  readonly adminUrl: string | null;
  /**
   * Takes a new certificate, goes on in a new audit file where the old one was moved, and reloads
   * the configuration.
   */
  reload(): Promise<Outcome<ReloadResult>>;
  /**
   * Announces that it is not ready and goes on for SIGNING_DRAIN_DELAY_MS, so that callers turn
   * elsewhere; then stops. Responses carry `Connection: close` from now on. `stop` cuts that short.
   */
  drain(): Promise<void>;
  /**
   * Stops accepting, finishes what is in flight, makes the audit file complete and forgets every
   * key. Safe to call twice.
   */
  stop(): Promise<void>;
}

/**
 * Starts everything that `container` binds: records the start, loads the keys, then listens.
 * @param drainMs how long a stop waits for requests in flight, milliseconds
 * @throws OperatorError, and what the adapters throw when memory can't be locked, a file can't be
 *   opened or the port is taken
 */
export async function startService(container: Container, drainMs = DRAIN_MS): Promise<RunningService> {
  const parts = await openService(container);
  try {
    await recordStart(parts);
    await parts.auditDisk.start();
    assertDone(await parts.reloads.reload('start', null));
    const { url, adminUrl } = await listen(parts);
    const stopping = new GracefulShutdown(parts, drainMs);
    return {
      url,
      adminUrl,
      reload: () => reload(parts),
      drain: () => stopping.drain(),
      stop: () => stopping.stop(),
    };
  } catch (error) {
    await end(parts);
    throw error;
  }
}

/** @throws OperatorError that names the audit file and what to do when it can't be written */
async function recordStart(parts: ServiceParts): Promise<void> {
  const outcome = await parts.audit.recordLifecycle('start', await startFacts(parts));
  const fault = outcome.ok ? null : await parts.sink.probe();
  if (fault !== null) throw new OperatorError(`${fault} This one has not started: start it again after that.`);
  assertDone(outcome);
}

/**
 * For what a start can't go on without. @throws OperatorError that names what is wrong, and where
 */
function assertDone(outcome: Outcome<unknown>): void {
  if (outcome.ok) return;
  throw new OperatorError(explain(outcome.refusal), { cause: outcome.refusal.cause });
}

function explain({ message, details }: Refusal): string {
  const issues = Array.isArray(details['issues']) ? details['issues'] : [];
  const lines = issues.map(({ path, message: what }) => `  ${path === '' ? '' : `${path}: `}${what}`);
  const heading = typeof details['path'] === 'string' ? `${details['path']} can not be loaded:` : message;
  return [heading, ...lines].join('\n');
}

/** What auditors want to know of a service that starts. */
async function startFacts({ settings, source, keyStore, sink }: ServiceParts): Promise<JsonObject> {
  return {
    version: SERVICE_VERSION,
    node: process.version,
    configurationDigest: await source.digest(),
    // Whatever a module calls its class: it is not the vault of this service.
    keyStore: settings.keyStoreModule === null ? keyStore.constructor.name : 'SIGNING_KEY_STORE_MODULE',
    ...sink.facts,
  };
}

/** @throws OperatorError */
async function listen({ settings, log, tls, registry, sink, listeners, apps }: ServiceParts) {
  const { admin, networks, auth, instanceId } = settings;
  logLoadedAccounts(settings, registry.current, sink, log);
  const url = await listeners.open(apps.api, settings, 'main');
  const adminUrl = apps.admin === null || admin === null ? null : await listeners.open(apps.admin, admin, 'admin');
  log.info('Listening.', {
    ...{ url, ...(adminUrl !== null && { adminUrl }) },
    ...{ version: SERVICE_VERSION, instanceId },
    callers: {
      networks: networks.allowed.networks,
      trustedProxies: networks.trustedProxies?.networks ?? [],
      clientCertificates: tls.tls?.clients != null,
      auth: auth.mode,
    },
  });
  return { url, adminUrl };
}

async function reload({ tls, authentication, sink, reloads }: ServiceParts): Promise<Outcome<ReloadResult>> {
  tls.reload();
  authentication?.reload();
  await sink.reopen();
  return reloads.reload('signal', null);
}

/** What is left to do when no request is in flight any more. */
async function end(parts: ServiceParts): Promise<void> {
  const { refreshes, auditDisk, reloads, tls, redis, authentication, audit, sink, purge } = parts;
  refreshes.stop();
  auditDisk.stop();
  reloads.stop();
  tls.stop();
  redis?.close();
  authentication?.stop();
  try {
    await audit.recordLifecycle('stop', { version: SERVICE_VERSION });
    await sink.close();
  } finally {
    purge();
  }
}

/** The one stop of a service, announced or not. */
class GracefulShutdown {
  readonly #parts: ServiceParts;
  readonly #drainMs: number;
  readonly #isUrgent = new AbortController();
  #announced: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: ServiceParts, drainMs: number) {
    this.#parts = parts;
    this.#drainMs = drainMs;
  }

  drain(): Promise<void> {
    this.#announced ??= this.#drain();
    return this.#announced;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #drain(): Promise<void> {
    const { readiness, listeners, log, settings } = this.#parts;
    if (this.#stopped !== undefined) return this.#stopped;
    const delayMs = settings.drainDelayMs;
    readiness.drain();
    listeners.endConnections();
    log.info('Not ready any more, and about to stop.', { delayMs });
    await delay(delayMs, undefined, { signal: this.#isUrgent.signal }).catch(() => undefined);
    return this.stop();
  }

  async #stop(): Promise<void> {
    const { readiness, listeners, log } = this.#parts;
    this.#isUrgent.abort();
    readiness.drain();
    const drained = await listeners.stop(this.#drainMs);
    if (!drained) {
      log.warn('Some requests were still in flight when the time to finish them was over.');
      // Those that were cut off are recorded in this turn of the event loop.
      await nextTurn();
    }
    await end(this.#parts);
    log.info('Stopped.');
  }
}
