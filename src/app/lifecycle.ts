import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { OperatorError } from '../domain/model/errors.ts';
import type { JsonObject } from '../domain/model/json.ts';
import type { Outcome, Refusal } from '../domain/model/refusal.ts';
import type { ReloadResult } from '../domain/services/reload-description.ts';
import { AdapterSet } from './adapters.ts';
import { Endings, type OpenService, openService, type ReplaceDependencies } from './open-service.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Settings } from './settings/settings.ts';
import { logLoadedAccounts } from './start-report.ts';

/**
 * Longest wait for requests in flight at a stop, milliseconds. With the default
 * SIGNING_DRAIN_DELAY_MS it stays below Docker's 10 seconds (sum in docs/operators/monitor.md).
 */
const DRAIN_MS = 6_000;

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

/** Options of {@link startService}. */
export interface StartOptions {
  /** Longest wait for requests in flight at a stop, milliseconds. */
  readonly drainMs?: number;
  readonly replace?: ReplaceDependencies;
}

/**
 * Starts the service: records the start, loads the keys, then listens. With another KeyStore:
 * `startService(settings, new AdapterSet(settings, { keyStore: new MockKeyStore() }))`.
 * @throws OperatorError, and what the adapters throw if memory cannot be locked, a file cannot be
 * opened or the port is taken
 */
export async function startService(
  settings: Settings,
  adapters: AdapterSet = new AdapterSet(settings),
  { drainMs = DRAIN_MS, replace }: StartOptions = {},
): Promise<RunningService> {
  const endings = new Endings();
  try {
    const service = await openService(settings, adapters, endings, replace);
    const { authentication, sink, audit, auditDisk, reloads, registry, budgets, background } = service;
    // Before the audit file is unlocked: another process may then write these files.
    endings.add(() => authentication?.guard.close(sink.head));
    endings.add(() => budgets.close?.());
    let isOnRecord = false;
    endings.add(() => isOnRecord && audit.recordLifecycle('stop', { version: SERVICE_VERSION }));
    for (const part of background) endings.add(() => part.stop());

    // Before the start adds a record.
    await authentication?.guard.start(sink.head);
    await recordStart(service);
    isOnRecord = true;
    await auditDisk.start();
    assertOk(await reloads.reload('start'));
    // Logs at once, not at the first charge, if budgets cannot be charged.
    if (registry.current.policies.budgets.length > 0) void budgets.charge([]);
    const { url, adminUrl } = await listen(service);
    const stopping = new GracefulShutdown(service, endings, drainMs);
    return {
      url,
      adminUrl,
      reload: () => reload(service),
      drain: () => stopping.drain(),
      stop: () => stopping.stop(),
    };
  } catch (error) {
    // What fails while it ends is a consequence, and would hide why it did not start.
    await endings.run().catch(async (cause) => {
      (await adapters.get('log')).error('Some parts did not end in order after the failed start.', { cause });
    });
    throw error;
  }
}

/** @throws OperatorError naming the audit file and the remedy if it cannot be written */
async function recordStart(parts: OpenService): Promise<void> {
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
async function collectStartFacts({ settings, source, keyStore, sink }: OpenService): Promise<JsonObject> {
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
async function listen({ settings, log, tls, registry, sink, listeners, apps }: OpenService) {
  const { admin, allowedNetworks, trustedProxies, auth, instanceId } = settings;
  logLoadedAccounts(settings, registry.current, sink, log);
  const url = await listeners.open(apps.api, settings, 'main');
  const adminUrl = apps.admin === null || admin === null ? null : await listeners.open(apps.admin, admin, 'admin');
  log.info('Listening.', {
    ...{ url, ...(adminUrl !== null && { adminUrl }) },
    ...{ version: SERVICE_VERSION, instanceId },
    callers: {
      networks: allowedNetworks.networks,
      trustedProxies: trustedProxies?.networks ?? [],
      clientCertificates: tls.clients !== null,
      auth: auth.mode,
    },
  });
  return { url, adminUrl };
}

async function reload({ files, sink, reloads }: OpenService): Promise<Outcome<ReloadResult>> {
  for (const each of files) await each.reload('signal');
  await sink.reopen();
  return reloads.reload('signal');
}

/** Graceful shutdown, with or without announcement; runs once. */
class GracefulShutdown {
  readonly #parts: OpenService;
  readonly #endings: Endings;
  readonly #drainMs: number;
  readonly #isUrgent = new AbortController();
  #announced: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: OpenService, endings: Endings, drainMs: number) {
    this.#parts = parts;
    this.#endings = endings;
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
    listeners.drain();
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
    await this.#endings.run();
    log.info('Stopped.');
  }
}
