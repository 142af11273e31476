import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import type { Container } from 'inversify';
import { settleWithin } from '../adapters/node/settle-within.ts';
import { OperatorError } from '../domain/model/errors.ts';
import type { JsonObject } from '../domain/model/json.ts';
import type { Outcome } from '../domain/model/outcome.ts';
import type { Refusal } from '../domain/model/refusal.ts';
import type { ReloadResult } from '../domain/services/reload-service.ts';
import { openService, type ServiceParts } from './compose-service.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { logLoadedAccounts } from './start-report.ts';

/**
 * Longest wait for requests in flight at a stop, milliseconds. With the default
 * SIGNING_DRAIN_DELAY_MS it stays below Docker's 10 seconds (sum in docs/operators/monitor.md).
 */
const DRAIN_MS = 6_000;

/** Longest wait for the delivery of traces at a stop, milliseconds. */
const TRACES_MS = 1_000;

/** A service that serves requests. */
export interface RunningService {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Address of the admin listener, if any. */
  readonly adminUrl: string | null;
  /** Reloads certificate, tokens and configuration, and reopens the audit file. */
  reload(): Promise<Outcome<ReloadResult>>;
  /**
   * Becomes not ready, sends `Connection: close` for SIGNING_DRAIN_DELAY_MS, then stops; `stop`
   * cuts the delay short.
   */
  drain(): Promise<void>;
  /**
   * Stops accepting, finishes requests in flight, closes the audit file, wipes every key. Safe to
   * call twice.
   */
  stop(): Promise<void>;
}

/**
 * Starts what `container` binds: records the start, loads the keys, then listens.
 * @param drainMs longest wait for requests in flight at a stop, milliseconds
 * @throws OperatorError, and what the adapters throw if memory cannot be locked, a file cannot be
 * opened or the port is taken
 */
export async function startService(container: Container, drainMs = DRAIN_MS): Promise<RunningService> {
  const parts = await openService(container);
  try {
    // Before the start adds a record.
    await parts.authentication?.guard.start(parts.sink.head);
    await recordStart(parts);
    await parts.auditDisk.start();
    assertOk(await parts.reloads.reload('start', null));
    // Logs at once, not at the first charge, if budgets cannot be charged.
    if (parts.registry.current.policies.budgets.length > 0) void parts.budgets.check([]);
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
    await closeParts(parts);
    throw error;
  }
}

/** @throws OperatorError naming the audit file and the remedy if it cannot be written */
async function recordStart(parts: ServiceParts): Promise<void> {
  const outcome = await parts.audit.recordLifecycle('start', await collectStartFacts(parts));
  const issue = outcome.ok ? null : await parts.sink.probe();
  if (issue !== null) throw new OperatorError(`${issue} This service did not start: start it again after that.`);
  assertOk(outcome);
}

/** @throws OperatorError that explains the refusal */
function assertOk(outcome: Outcome<unknown>): void {
  if (outcome.ok) return;
  throw new OperatorError(explain(outcome.refusal), { cause: outcome.refusal.cause });
}

function explain({ message, details }: Refusal): string {
  const issues = Array.isArray(details['issues']) ? details['issues'] : [];
  const lines = issues.map(({ path, message: what }) => `  ${path === '' ? '' : `${path}: `}${what}`);
  const heading = typeof details['path'] === 'string' ? `${details['path']} cannot be loaded:` : message;
  return [heading, ...lines].join('\n');
}

/** Facts for auditors. */
async function collectStartFacts({ settings, source, keyStore, sink }: ServiceParts): Promise<JsonObject> {
  return {
    version: SERVICE_VERSION,
    node: process.version,
    configurationDigest: await source.digest(),
    // Not the class name that the module chose.
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
      clientCertificates: tls.clients !== null,
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

/** Ends a service without requests in flight. */
async function closeParts(parts: ServiceParts): Promise<void> {
  const { refreshes, retiredKeyWipes, auditDisk, reloads, tls, redis, authentication, traces } = parts;
  const { audit, budgets, sink, purge } = parts;
  // Meanwhile the audit record is completed.
  const tracesClosed = settleWithin(TRACES_MS, Promise.resolve(traces?.close()), () => undefined);
  refreshes.stop();
  retiredKeyWipes.stop();
  auditDisk.stop();
  reloads.stop();
  tls.stop();
  redis?.close();
  authentication?.stop();
  try {
    await audit.recordLifecycle('stop', { version: SERVICE_VERSION });
    // Before the audit file is unlocked: another process may then write these files.
    await budgets.close();
    await authentication?.guard.close(sink.head);
    await sink.close();
  } finally {
    purge();
  }
  await tracesClosed;
}

/** Graceful shutdown, with or without announcement; runs once. */
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
    log.info('Not ready; stopping.', { delayMs });
    await delay(delayMs, undefined, { signal: this.#isUrgent.signal }).catch(() => undefined);
    return this.stop();
  }

  async #stop(): Promise<void> {
    const { readiness, listeners, log } = this.#parts;
    this.#isUrgent.abort();
    readiness.drain();
    const drained = await listeners.stop(this.#drainMs);
    if (!drained) {
      log.warn('Some requests were still in flight when the shutdown timeout expired.');
      // Requests that were cut off are recorded in this tick.
      await nextTick();
    }
    await closeParts(this.#parts);
    log.info('Stopped.');
  }
}
