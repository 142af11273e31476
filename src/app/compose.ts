import { CosmosSigner } from '../adapters/signing/cosmos-signer.ts';
import { Ed25519Signer } from '../adapters/signing/ed25519-signer.ts';
import { Eip191Signer } from '../adapters/signing/eip191-signer.ts';
import { Eip712Signer } from '../adapters/signing/eip712-signer.ts';
import { Es256Signer } from '../adapters/signing/es256-signer.ts';
import { HmacSigner } from '../adapters/signing/hmac-signer.ts';
import { HyperliquidL1Signer } from '../adapters/signing/hyperliquid-l1-signer.ts';
import { RsaSigner } from '../adapters/signing/rsa-signer.ts';
import { StarknetSigner } from '../adapters/signing/starknet-signer.ts';
import { ScureStarknetTypedDataEncoder } from '../adapters/signing/starknet-typed-data-encoder.ts';
import type { SignerTable } from '../ports/signer.ts';
import 'reflect-metadata';
import { dirname } from 'node:path';
import { Container } from 'inversify';
import { AuditKey } from '../adapters/audit/audit-key.ts';
import { CheckpointCopies } from '../adapters/audit/checkpoint/checkpoint-copy.ts';
import { ServiceKey } from '../adapters/auth/service-key.ts';
import { SodiumSignatureVerifier } from '../adapters/auth/sodium-signature-verifier.ts';
import { FileCredentialSource } from '../adapters/credentials/file-credential-source.ts';
import { MasterKeyStore } from '../adapters/credentials/master-key/master-key-store.ts';
import { createWrappingKeyLoader } from '../adapters/credentials/wrapping-keys/wrapping-key-loader.ts';
import { NodeHasher } from '../adapters/node/node-hasher.ts';
import { SystemClock } from '../adapters/node/system-clock.ts';
import { WinstonServiceLog } from '../adapters/observability/winston-service-log.ts';
import { TerminalPassphrase } from '../adapters/passphrase/terminal-passphrase.ts';
import { loadRedisClient } from '../adapters/redis/redis-connection.ts';
import { RedisLink } from '../adapters/redis/redis-link.ts';
import { EthersTypedDataEncoder } from '../adapters/signing/ethers-typed-data-encoder.ts';
import { MemoryUsageLedger } from '../adapters/usage/memory-usage-ledger.ts';
import { RedisUsageLedger } from '../adapters/usage/redis-usage-ledger.ts';
import { SodiumKeyStore } from '../adapters/vault/sodium-key-store.ts';
import { AccountService } from '../domain/services/account-service.ts';
import { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import { DryRunService } from '../domain/services/dry-run-service.ts';
import { PolicyCompiler } from '../domain/services/policy-compiler.ts';
import { ReadinessService } from '../domain/services/readiness-service.ts';
import { RecentActivity } from '../domain/services/recent-activity.ts';
import { RegistryHolder } from '../domain/services/registry-holder.ts';
import { RegistryLoader } from '../domain/services/registry-loader.ts';
import { ReloadHistory, ReloadService } from '../domain/services/reload-service.ts';
import { RetiredKeys } from '../domain/services/retired-keys.ts';
import { SelfTestService } from '../domain/services/self-test-service.ts';
import { SignBatchService } from '../domain/services/sign-batch-service.ts';
import { SigningPerformance, SignRequestService } from '../domain/services/sign-request-service.ts';
import { StatusService } from '../domain/services/status-service.ts';
import { VerifySignatureService } from '../domain/services/verify-signature-service.ts';
import { AuditDiskWatch, FreeSpace } from './background/audit-disk-watch.ts';
import { TOKENS as T } from './container-tokens.ts';
import { createCheckpointTargets, openAuditSink } from './open-audit-sink.ts';
import { loadPolicyLanguage } from './policy-language.ts';
import { createBudgetLedger, createRateLimiters, createReplayGuard } from './rate-limits-and-replay-guard.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { reloadWarnings } from './settings/permission-warnings.ts';
import type { Settings } from './settings/settings.ts';
import { wantsColour } from './standard-streams.ts';

/** The Signer adapter of each algorithm. */
export function createSigners(): SignerTable {
  return {
    ed25519: new Ed25519Signer(),
    eip191: new Eip191Signer(),
    eip712: new Eip712Signer(),
    'hyperliquid-l1': new HyperliquidL1Signer(),
    'hmac-sha256': new HmacSigner('hmac-sha256'),
    'hmac-sha384': new HmacSigner('hmac-sha384'),
    'hmac-sha512': new HmacSigner('hmac-sha512'),
    starknet: new StarknetSigner(),
    'rsa-sha256': new RsaSigner(),
    cosmos: new CosmosSigner(),
    es256: new Es256Signer(),
  };
}

/**
 * Binds every port of the service to its adapter and every domain service; its HTTP API and
 * background work are bound in compose-service.ts. Commands compose their few parts in
 * installation.ts. Bindings are lazy singletons and can be replaced before first use:
 * `container.rebind(TOKENS.KeyStore).toConstantValue(new MockKeyStore())`.
 */
export function createContainer(settings: Settings): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(T.Settings).toConstantValue(settings);
  bindProcess(container, settings);
  bindKeysAndSigning(container, settings);
  bindCredentials(container, settings);
  bindAudit(container, settings);
  bindUsageAndLimits(container, settings);
  bindBudgets(container, settings);
  bindAccessTokens(container, settings);
  bindAccounts(container, settings);
  bindHealth(container, settings);
  return container;
}

/**
 * Wipes the keys of accounts, unlocked master keys, the audit key and the key that signs responses.
 * Opens nothing. Safe to call twice. Call it after the last signature.
 */
export function purgeKeys(container: Container): void {
  try {
    container.get(T.KeyStore).purge();
    container.get(T.CredentialSource).purge();
  } finally {
    // onDeactivation destroys keys that were opened.
    container.unbind(T.AuditKey);
    container.unbind(T.AuthKey);
  }
}

function bindProcess(container: Container, { logLevel, metricsCallers }: Settings): void {
  container.bind(T.Clock).toResolvedValue(() => new SystemClock());
  container.bind(T.Hasher).toResolvedValue(() => new NodeHasher());
  container.bind(T.PassphrasePrompt).toResolvedValue(() => new TerminalPassphrase());
  container.bind(T.ServiceLog).toResolvedValue(
    () =>
      new WinstonServiceLog(logLevel, {
        pretty: process.stdout.isTTY,
        colour: wantsColour(process.env, process.stdout),
      }),
  );
  container.bind(T.Metrics).toResolvedValue(async () => {
    const { PromMetrics } = await import('../adapters/observability/prom-metrics.ts');
    return new PromMetrics({ namesCallers: metricsCallers });
  });
}

function bindKeysAndSigning(container: Container, { verifySignatures }: Settings): void {
  container.bind(T.KeyStore).toResolvedValue(() => new SodiumKeyStore());
  container
    .bind(T.RetiredKeys)
    .toResolvedValue((keyStore, clock) => new RetiredKeys(keyStore, clock), [T.KeyStore, T.Clock]);
  container.bind(T.Signers).toResolvedValue(() => createSigners());
  container.bind(T.TypedDataEncoder).toResolvedValue(() => new EthersTypedDataEncoder());
  container.bind(T.StarknetTypedDataEncoder).toResolvedValue(() => new ScureStarknetTypedDataEncoder());
  container.bind(T.SigningPerformance).toResolvedValue(() => new SigningPerformance());
  container.bind(T.SignRequestService).toResolvedValue(
    (
      registry,
      keyStore,
      retiredKeys,
      signers,
      hasher,
      typedData,
      starknet,
      audit,
      performance,
      clock,
      limits,
      budgets,
      metrics,
    ) =>
      new SignRequestService({
        ...{ registry, keyStore, retiredKeys, signers, hasher, typedData, starknet, audit, performance, clock },
        ...{ budgets, metrics },
        limiter: limits.accounts,
        verifiesSignatures: verifySignatures,
      }),
    [
      T.RegistryHolder,
      T.KeyStore,
      T.RetiredKeys,
      T.Signers,
      T.Hasher,
      T.TypedDataEncoder,
      T.StarknetTypedDataEncoder,
      T.AuditEntryService,
      T.SigningPerformance,
      T.Clock,
      T.RateLimiters,
      T.BudgetLedger,
      T.Metrics,
    ],
  );
  container
    .bind(T.SignBatchService)
    .toResolvedValue(
      (signing, clock, metrics) => new SignBatchService(signing, clock, metrics),
      [T.SignRequestService, T.Clock, T.Metrics],
    );
  container
    .bind(T.DryRunService)
    .toResolvedValue(
      (registry, hasher, typedData, starknet, audit, clock, budgets, metrics) =>
        new DryRunService({ registry, hasher, typedData, starknet, audit, clock, budgets, metrics }),
      [
        T.RegistryHolder,
        T.Hasher,
        T.TypedDataEncoder,
        T.StarknetTypedDataEncoder,
        T.AuditEntryService,
        T.Clock,
        T.BudgetLedger,
        T.Metrics,
      ],
    );
  container.bind(T.VerifySignatureService).toResolvedValue(
    (registry, keyStore, retiredKeys, signers, hasher, typedData, starknet, audit, clock, metrics) =>
      new VerifySignatureService({
        ...{ registry, keyStore, retiredKeys, signers, hasher, typedData, starknet, audit, clock, metrics },
      }),
    [
      T.RegistryHolder,
      T.KeyStore,
      T.RetiredKeys,
      T.Signers,
      T.Hasher,
      T.TypedDataEncoder,
      T.StarknetTypedDataEncoder,
      T.AuditEntryService,
      T.Clock,
      T.Metrics,
    ],
  );
}

function bindCredentials(container: Container, settings: Settings): void {
  const { credentialsFile: file, allowPlaintextKeys, production } = settings;
  const masterKeyFiles = { primary: settings.masterKeyFile, previous: settings.previousMasterKeyFile };
  container
    .bind(T.MasterKeys)
    .toResolvedValue(
      (prompt) => new MasterKeyStore(masterKeyFiles, prompt, createWrappingKeyLoader(settings.wrappingKeys)),
      [T.PassphrasePrompt],
    );
  container
    .bind(T.CredentialSource)
    .toResolvedValue(
      (masterKeys) => new FileCredentialSource({ file, masterKeys, allowPlaintextKeys, production }),
      [T.MasterKeys],
    );
}

function bindAudit(container: Container, settings: Settings): void {
  const { auditFile: file, auditKeyFile, instanceId } = settings;
  container
    .bind(T.AuditKey)
    .toResolvedValue(() => AuditKey.open(auditKeyFile))
    .onDeactivation((key) => key.destroy());
  container
    .bind(T.CheckpointCopies)
    .toResolvedValue((log) => new CheckpointCopies(createCheckpointTargets(settings), log), [T.ServiceLog]);
  container
    .bind(T.AuditSink)
    .toResolvedValue(
      (key, ledger, shared, checkpoints, clock, log) =>
        openAuditSink({ settings, key, ledger, shared, checkpoints, clock, log }),
      [T.AuditKey, T.OwnUsage, T.SharedUsage, T.CheckpointCopies, T.Clock, T.ServiceLog],
    );
  container
    .bind(T.RecentActivity)
    .toResolvedValue((clock, reloads) => new RecentActivity(clock, reloads), [T.Clock, T.ReloadHistory]);
  container
    .bind(T.AuditEntryService)
    .toResolvedValue(
      (sink, hasher, clock, log, metrics, activity) =>
        new AuditEntryService(sink, hasher, clock, instanceId, log, metrics, activity),
      [T.AuditSink, T.Hasher, T.Clock, T.ServiceLog, T.Metrics, T.RecentActivity],
    );
  container
    .bind(T.AuditDiskWatch)
    .toResolvedValue(
      (clock, log) => new AuditDiskWatch({ file, space: new FreeSpace(dirname(file)), clock, log }),
      [T.Clock, T.ServiceLog],
    );
}

function bindUsageAndLimits(container: Container, settings: Settings): void {
  const { redis, instanceId } = settings;
  container
    .bind(T.RedisLink)
    .toResolvedValue(async () =>
      redis === null ? null : new RedisLink({ ...redis, library: await loadRedisClient() }),
    );
  container.bind(T.OwnUsage).toResolvedValue(() => new MemoryUsageLedger());
  container
    .bind(T.SharedUsage)
    .toResolvedValue(
      (ledger, clock, log) =>
        redis === null ? null : new RedisUsageLedger({ ledger, clock, log, ...redis, instanceId }),
      [T.OwnUsage, T.Clock, T.ServiceLog],
    );
  container.bind(T.UsageLedger).toResolvedValue((own, shared) => shared ?? own, [T.OwnUsage, T.SharedUsage]);
  container
    .bind(T.RateLimiters)
    .toResolvedValue(
      (link, clock, log) => createRateLimiters(settings, { link, clock, log }),
      [T.RedisLink, T.Clock, T.ServiceLog],
    );
}

function bindBudgets(container: Container, settings: Settings): void {
  container
    .bind(T.BudgetLedger)
    .toResolvedValue(
      (link, clock, log) => createBudgetLedger(settings, { link, clock, log }),
      [T.RedisLink, T.Clock, T.ServiceLog],
    );
}

function bindAccessTokens(container: Container, settings: Settings): void {
  container
    .bind(T.AuthKey)
    .toResolvedValue(() => ServiceKey.open(settings.auth.keyFile))
    .onDeactivation((key) => key.destroy());
  container.bind(T.SignatureVerifier).toResolvedValue(() => new SodiumSignatureVerifier());
  container
    .bind(T.ReplayGuard)
    .toResolvedValue(
      (link, clock, log) => createReplayGuard(settings, { link, clock, log }),
      [T.RedisLink, T.Clock, T.ServiceLog],
    );
}

function bindAccounts(container: Container, settings: Settings): void {
  container.bind(T.PolicyCompiler).toResolvedValue(() => new PolicyCompiler(loadPolicyLanguage));
  container.bind(T.RegistryHolder).toResolvedValue(() => new RegistryHolder());
  container.bind(T.ReloadHistory).toResolvedValue(() => new ReloadHistory());
  container
    .bind(T.AccountService)
    .toResolvedValue(
      (registry, usage, clock) => new AccountService(registry, usage, clock),
      [T.RegistryHolder, T.UsageLedger, T.Clock],
    );
  container
    .bind(T.RegistryLoader)
    .toResolvedValue(
      (source, keyStore, signers, clock, policies, hasher) =>
        new RegistryLoader(source, keyStore, signers, clock, policies, hasher),
      [T.CredentialSource, T.KeyStore, T.Signers, T.Clock, T.PolicyCompiler, T.Hasher],
    );
  container.bind(T.ReloadService).toResolvedValue(
    (registry, loader, keyStore, retiredKeys, audit, hasher, history, clock, log, metrics) =>
      new ReloadService({
        ...{ registry, loader, keyStore, retiredKeys, audit, hasher, history, clock, log, metrics },
        getWarnings: (after, before) => reloadWarnings(after, before, settings, clock),
        maxRemoved: settings.reloadMaxRemoved,
      }),
    [
      T.RegistryHolder,
      T.RegistryLoader,
      T.KeyStore,
      T.RetiredKeys,
      T.AuditEntryService,
      T.Hasher,
      T.ReloadHistory,
      T.Clock,
      T.ServiceLog,
      T.Metrics,
    ],
  );
}

function bindHealth(container: Container, settings: Settings): void {
  container
    .bind(T.SelfTestService)
    .toResolvedValue(
      (keyStore, signers, clock) => new SelfTestService(keyStore, signers, clock),
      [T.KeyStore, T.Signers, T.Clock],
    );
  container
    .bind(T.ReadinessService)
    .toResolvedValue(
      (registry, sink, selfTest) => new ReadinessService(registry, sink, selfTest),
      [T.RegistryHolder, T.AuditSink, T.SelfTestService],
    );
  container.bind(T.StatusService).toResolvedValue(
    (registry, usage, performance, sink, reloads, clock, disk, checkpoints) =>
      new StatusService({
        ...{ registry, usage, performance, sink, reloads, clock },
        instance: { id: settings.instanceId, version: SERVICE_VERSION },
        config: { path: settings.credentialsFile, isWatching: settings.watch },
        auditFile: {
          path: settings.auditFile,
          disk: () => disk.state,
          checkpointCopies: () => checkpoints.states,
        },
      }),
    [
      T.RegistryHolder,
      T.UsageLedger,
      T.SigningPerformance,
      T.AuditSink,
      T.ReloadHistory,
      T.Clock,
      T.AuditDiskWatch,
      T.CheckpointCopies,
    ],
  );
}
