import 'reflect-metadata';
import { dirname } from 'node:path';
import { Container, type ServiceIdentifier } from 'inversify';
import type { AuditKey } from '../adapters/audit/audit-key.ts';
import type { CheckpointCopy } from '../adapters/audit/checkpoint/checkpoint-copy.ts';
import type { ServiceKey } from '../adapters/auth/service-key.ts';
import type { Keyring } from '../adapters/credentials/keyring/keyring.ts';
import { statePath } from '../adapters/files/state-file.ts';
import { SystemClock } from '../adapters/node/system-clock.ts';
import type { PassphrasePrompt } from '../adapters/passphrase/passphrase-prompt.ts';
import type { Redis } from '../adapters/redis/redis.ts';
import type { MemoryUsageLedger } from '../adapters/usage/memory-usage-ledger.ts';
import type { SodiumKeyStore } from '../adapters/vault/sodium-key-store.ts';
import type { Ports } from '../ports/ports.ts';
import type { FreeSpace } from './background/audit-disk-watch.ts';
import { loadKeyStoreModule } from './key-store-module.ts';
import { loadSigners } from './load-signer.ts';
import { loadPolicyLanguage } from './policy-language.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Settings } from './settings/settings.ts';
import { wantsColour } from './standard-streams.ts';

/** Everything outside the domain, by name: the ports, and what adapters share. */
export interface Adapters extends Ports {
  /** Holds master keys, too. */
  readonly vault: SodiumKeyStore;
  readonly keyring: Keyring;
  readonly prompt: PassphrasePrompt;

  readonly auditKey: AuditKey;
  /** Second places of audit checkpoints; perhaps none. */
  readonly checkpoints: readonly CheckpointCopy[];
  /** Free space of the audit disk. */
  readonly space: Pick<FreeSpace, 'bytes'>;

  /** Restored from the audit file. */
  readonly usage: MemoryUsageLedger;
  /** Null without Redis. Connects on first use. */
  readonly redis: Redis | null;

  /** Signs responses. */
  readonly authKey: ServiceKey;
}

/** Name of an adapter. */
export type AdapterName = keyof Adapters;

/**
 * Makes adapters on first use, one of each. The settings choose them; `replacements` take their
 * places by name: `new AdapterSet(settings, { keyStore: new MockKeyStore() })`.
 */
export class AdapterSet {
  readonly #container: Container;
  readonly #wipes = new Set<() => void>();

  /** @throws TypeError if no adapter has the name of a replacement */
  constructor(settings: Settings, replacements: Partial<Adapters> = {}) {
    this.#container = bindAdapters(settings);
    for (const [name, adapter] of Object.entries(replacements)) {
      if (!this.#container.isBound(name)) throw new TypeError(`No adapter is named ${name}.`);
      this.#container.rebind(toIdentifier(name as AdapterName)).toConstantValue(adapter);
    }
    this.#wipeAtPurge('keyStore', (keyStore) => keyStore.purge());
    this.#wipeAtPurge('vault', (vault) => vault.purge());
    this.#wipeAtPurge('auditKey', (key) => key.destroy());
    this.#wipeAtPurge('authKey', (key) => key.destroy());
  }

  /** @throws what the adapter throws if memory cannot be locked or a file cannot be opened */
  get<Name extends AdapterName>(name: Name): Promise<Adapters[Name]> {
    return this.#container.getAsync(toIdentifier(name));
  }

  /** Several at once, by name. */
  async all<Name extends AdapterName>(...names: readonly Name[]): Promise<Pick<Adapters, Name>> {
    return getAll((name) => this.get(name), ...names);
  }

  /**
   * Wipes every key that was opened; opens nothing. Call it after the last signature; safe to call
   * twice.
   * @throws the first error of an adapter, after the others have wiped theirs
   */
  purge(): void {
    const errors = [...this.#wipes].flatMap((wipe) => {
      try {
        wipe();
        return [];
      } catch (error) {
        return [error];
      }
    });
    if (errors.length > 0) throw errors[0];
  }

  #wipeAtPurge<Name extends AdapterName>(name: Name, wipe: (adapter: Adapters[Name]) => void): void {
    this.#container.onActivation(toIdentifier(name), (_context, adapter) => {
      this.#wipes.add(() => wipe(adapter));
      return adapter;
    });
  }
}

async function getAll<Name extends AdapterName>(
  get: AdapterSet['get'],
  ...names: readonly Name[]
): Promise<Pick<Adapters, Name>> {
  const made = await Promise.all(names.map(async (name) => [name, await get(name)] as const));
  return Object.fromEntries(made) as Pick<Adapters, Name>;
}

function toIdentifier<Name extends AdapterName>(name: Name): ServiceIdentifier<Adapters[Name]> {
  return name;
}

/**
 * Binds every port to its adapter. Modules load with their adapter: a command loads only those that
 * it uses.
 */
function bindAdapters(settings: Settings): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  const bind = <Name extends AdapterName>(
    name: Name,
    make: (get: AdapterSet['get']) => Adapters[Name] | Promise<Adapters[Name]>,
  ) =>
    container
      .bind(toIdentifier(name))
      .toDynamicValue((context) => make((needed) => context.getAsync(toIdentifier(needed))));

  bind('clock', () => new SystemClock());
  bind('log', async () => {
    const { WinstonServiceLog } = await import('../adapters/observability/winston-service-log.ts');
    const colour = wantsColour(process.env, process.stdout);
    return new WinstonServiceLog(settings.logLevel, { pretty: process.stdout.isTTY, colour });
  });
  bind('hasher', async () => new (await import('../adapters/node/node-hasher.ts')).NodeHasher());
  bind('metrics', async () => {
    const { PromMetrics } = await import('../adapters/observability/prom-metrics.ts');
    return new PromMetrics({ namesCallers: settings.metricsCallers });
  });
  bind('traces', async (get) => {
    const { traceEndpoint, instanceId } = settings;
    if (traceEndpoint === null) return null;
    const { loadOpenTelemetry, OtlpTraces } = await import('../adapters/observability/otlp-traces.ts');
    const [library, log] = await Promise.all([loadOpenTelemetry(), get('log')]);
    log.info('Traces are sent.', { endpoint: new URL(traceEndpoint).origin });
    return new OtlpTraces(library, { version: SERVICE_VERSION, instanceId, log });
  });

  bind('keyStore', (get) =>
    settings.keyStoreModule === null ? get('vault') : loadKeyStoreModule(settings.keyStoreModule),
  );
  bind('vault', async () => new (await import('../adapters/vault/sodium-key-store.ts')).SodiumKeyStore());
  bind('signers', () => loadSigners());
  bind('starknet', async () => {
    const { ScureStarknetHasher } = await import('../adapters/signing/scure-starknet-hasher.ts');
    return new ScureStarknetHasher();
  });
  bind('loadPolicyLanguage', () => loadPolicyLanguage);

  const { credentialsFile: file, allowPlaintextKeys, production } = settings;
  bind('source', async (get) => {
    const { FileCredentialSource } = await import('../adapters/credentials/file-credential-source.ts');
    return new FileCredentialSource({ file, keyring: await get('keyring'), allowPlaintextKeys, production });
  });
  bind('editor', async (get) => {
    const { FileCredentialEditor } = await import('../adapters/credentials/editor/file-credential-editor.ts');
    return new FileCredentialEditor({ file, keyring: await get('keyring') });
  });
  bind('keyring', async (get) => {
    const { Keyring } = await import('../adapters/credentials/keyring/keyring.ts');
    const { HelperWrappingKeys } = await import('../adapters/key-helper/helper-wrapping-keys.ts');
    const wrappingKeys = new HelperWrappingKeys(settings.wrappingKeys);
    const prompt = await get('prompt');
    return new Keyring({ file: settings.masterKeyFile, vault: () => get('vault'), prompt, wrappingKeys });
  });
  bind('prompt', async () => {
    const { TerminalPassphrase } = await import('../adapters/passphrase/terminal-passphrase.ts');
    return new TerminalPassphrase();
  });

  bind('sink', async (get) => {
    const { openAuditSink } = await import('./open-audit-sink.ts');
    const ports = await getAll(get, 'auditKey', 'usage', 'checkpoints', 'clock', 'log');
    return openAuditSink(settings, ports);
  });
  bind('auditKey', async () => (await import('../adapters/audit/audit-key.ts')).AuditKey.open(settings.auditKeyFile));
  bind('checkpoints', async (get) => {
    const { createCheckpointCopies } = await import('./open-audit-sink.ts');
    return createCheckpointCopies(settings, await get('log'));
  });
  bind('space', async () => {
    const { FreeSpace } = await import('./background/audit-disk-watch.ts');
    return new FreeSpace(dirname(settings.auditFile));
  });

  const { redis, instanceId } = settings;
  const sharing = (get: AdapterSet['get']) => getAll(get, 'redis', 'clock', 'log');
  bind('usage', async (get) => {
    const { redis: link, clock, log } = await sharing(get);
    if (redis === null || link === null) {
      return new (await import('../adapters/usage/memory-usage-ledger.ts')).MemoryUsageLedger();
    }
    const { RedisUsageLedger } = await import('../adapters/usage/redis-usage-ledger.ts');
    return new RedisUsageLedger({ link, redis: redis.address.shown, instanceId, clock, log });
  });
  bind('redis', async () => {
    if (redis === null) return null;
    return (await import('../adapters/redis/redis.ts')).Redis.load(redis);
  });
  const limitModule = () => import('./limits.ts');
  bind('limiters', async (get) => (await limitModule()).createRateLimiters(settings, await sharing(get)));
  bind('budgets', async (get) => (await limitModule()).createBudgetLedger(settings, await sharing(get)));
  bind('guard', async (get) => {
    const { redis: link, clock, log } = await sharing(get);
    if (redis === null || link === null) {
      const { MemoryReplayGuard } = await import('../adapters/auth/memory-replay-guard.ts');
      return new MemoryReplayGuard({ file: statePath(settings.auditFile, 'replay'), clock, log });
    }
    const { RedisReplayGuard } = await import('../adapters/auth/redis-replay-guard.ts');
    return new RedisReplayGuard({ link, redis: redis.address.shown, clock, log });
  });

  bind('verifier', async () => {
    const { SodiumSignatureVerifier } = await import('../adapters/auth/sodium-signature-verifier.ts');
    return new SodiumSignatureVerifier();
  });
  bind('authKey', async () => (await import('../adapters/auth/service-key.ts')).ServiceKey.open(settings.auth.keyFile));
  return container;
}
