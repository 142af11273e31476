import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import { AuditKey } from '../adapters/driven/audit-sink/audit-key/audit-key.ts';
import { SystemClock } from '../adapters/driven/clock/system-clock.ts';
import { FileCredentialEditor } from '../adapters/driven/credential-source/file-credential-editor.ts';
import { FileCredentialSource } from '../adapters/driven/credential-source/file-credential-source.ts';
import { MasterKeyKeeper } from '../adapters/driven/credential-source/master-key/master-key-keeper.ts';
import { FileMasterKeyAdministration } from '../adapters/driven/credential-source/master-key-rotation/file-master-key-administration.ts';
import { ZodDataFormatValidator } from '../adapters/driven/data-format-validator/zod-data-format-validator.ts';
import { NodeHasher } from '../adapters/driven/hasher/node-hasher.ts';
import { SodiumKeyStore } from '../adapters/driven/key-store/sodium-key-store.ts';
import { WinstonServiceLog } from '../adapters/driven/service-log/winston-service-log.ts';
import { EthersTypedDataEncoder } from '../adapters/driven/typed-data-encoder/ethers-typed-data-encoder.ts';
import { MemoryUsageLedger } from '../adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { RedisUsageLedger, type RedisUsageLedgerParts } from '../adapters/driven/usage-ledger/redis-usage-ledger.ts';
import { AccountAdministrationService } from '../domain/services/account-administration-service.ts';
import { AccountService } from '../domain/services/account-service.ts';
import { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import { PayloadMaker } from '../domain/services/payload-maker.ts';
import { ReadinessService } from '../domain/services/readiness-service.ts';
import { RegistryHolder } from '../domain/services/registry-holder.ts';
import { RegistryLoader } from '../domain/services/registry-loader.ts';
import { ReloadHistory } from '../domain/services/reload-history.ts';
import { ReloadService } from '../domain/services/reload-service.ts';
import { SelfTestService } from '../domain/services/self-test-service.ts';
import { SignBatchService } from '../domain/services/sign-batch-service.ts';
import { SignRequestService } from '../domain/services/sign-request-service.ts';
import { SignatureMaker } from '../domain/services/signature-maker.ts';
import { SigningPerformance } from '../domain/services/signing-performance.ts';
import { StatusService } from '../domain/services/status-service.ts';
import { VerifySignatureService } from '../domain/services/verify-signature-service.ts';
import { TerminalPassphrase } from '../secure-memory/terminal-passphrase.ts';
import { createSigners } from './create-signers.ts';
import { openAuditSink } from './open-audit-sink.ts';
import type { Settings } from './settings.ts';
import { TOKENS as T } from './tokens.ts';

/** What the file adapters of the credentials share: what is unlocked for one is unlocked for all. */
const MASTER_KEYS: ServiceIdentifier<MasterKeyKeeper> = Symbol('MasterKeyKeeper');

/** The key that signs checkpoints of the audit file, opened when it is first asked for and wiped when it is unbound (purge-keys.ts). */
export const AUDIT_KEY: ServiceIdentifier<AuditKey> = Symbol('AuditKey');

/** The usage ledger as the audit file is opened with it, which restores its counters. */
const USAGE_LEDGER: ServiceIdentifier<MemoryUsageLedger> = Symbol('MemoryUsageLedger');

/** What shares it with other replicas; null when nothing does. */
const SHARED_USAGE: ServiceIdentifier<RedisUsageLedger | null> = Symbol('RedisUsageLedger');

/**
 * Binds every port to its adapter and builds every domain service from ports: the one place that names both. Everything is a singleton and made
 * when it is first asked for, so a binding can be replaced until then:
 *
 * ```ts
 * container.rebind(TOKENS.KeyStore).toConstantValue(new MockKeyStore());
 * ```
 */
export function createContainer(settings: Settings): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  bindAdapters(container, settings);
  bindServices(container, settings);
  return container;
}

function bindAdapters(container: Container, settings: Settings): void {
  container
    .bind(T.ServiceLog)
    .toResolvedValue(() => new WinstonServiceLog(settings.logLevel, { pretty: process.stdout.isTTY }));
  container.bind(T.Clock).toResolvedValue(() => new SystemClock());
  container.bind(T.Hasher).toResolvedValue(() => new NodeHasher());
  container.bind(T.KeyStore).toResolvedValue(() => new SodiumKeyStore());
  container.bind(T.Signers).toResolvedValue(() => createSigners());
  container.bind(T.TypedDataEncoder).toResolvedValue(() => new EthersTypedDataEncoder());
  container.bind(USAGE_LEDGER).toResolvedValue(() => new MemoryUsageLedger());
  container
    .bind(SHARED_USAGE)
    .toResolvedValue(
      (ledger, clock, log) => sharedUsage(settings, { ledger, clock, log }),
      [USAGE_LEDGER, T.Clock, T.ServiceLog],
    );
  container.bind(T.UsageLedger).toResolvedValue((ledger, shared) => shared ?? ledger, [USAGE_LEDGER, SHARED_USAGE]);
  container.bind(T.DataFormatValidator).toResolvedValue(() => new ZodDataFormatValidator());
  container
    .bind(T.AuditSink)
    .toResolvedValue(
      (key, ledger, shared, clock, log) => openAuditSink({ settings, key, ledger, shared, clock, log }),
      [AUDIT_KEY, USAGE_LEDGER, SHARED_USAGE, T.Clock, T.ServiceLog],
    );
  container
    .bind(AUDIT_KEY)
    .toResolvedValue(() => AuditKey.open(settings.auditKeyFile))
    .onDeactivation((key) => key.destroy());
  container.bind(T.PassphrasePrompt).toResolvedValue(() => new TerminalPassphrase());
  bindCredentials(container, settings);
}

function sharedUsage(
  { redis, instanceId }: Settings,
  parts: Pick<RedisUsageLedgerParts, 'ledger' | 'clock' | 'log'>,
): RedisUsageLedger | null {
  return redis === null ? null : new RedisUsageLedger({ ...parts, ...redis, instanceId });
}

function bindCredentials(container: Container, settings: Settings): void {
  const file = settings.credentialsFile;
  const masterKeyFiles = { primary: settings.masterKeyFile, previous: settings.previousMasterKeyFile };
  container
    .bind(MASTER_KEYS)
    .toResolvedValue((prompt) => new MasterKeyKeeper(masterKeyFiles, prompt), [T.PassphrasePrompt]);
  container.bind(T.CredentialSource).toResolvedValue(
    (masterKeys) =>
      new FileCredentialSource({
        file,
        masterKeys,
        allowPlaintextKeys: settings.allowPlaintextKeys,
        production: settings.production,
      }),
    [MASTER_KEYS],
  );
  container
    .bind(T.CredentialEditor)
    .toResolvedValue((masterKeys) => new FileCredentialEditor({ file, masterKeys }), [MASTER_KEYS]);
  container
    .bind(T.MasterKeyAdministration)
    .toResolvedValue(
      (prompt) => new FileMasterKeyAdministration({ file, masterKeyFiles, prompt }),
      [T.PassphrasePrompt],
    );
}

function bindServices(container: Container, settings: Settings): void {
  container.bind(T.RegistryHolder).toResolvedValue(() => new RegistryHolder());
  container.bind(T.ReloadHistory).toResolvedValue(() => new ReloadHistory());
  container
    .bind(T.AuditEntryService)
    .toResolvedValue(
      (sink, hasher, clock) => new AuditEntryService(sink, hasher, clock, settings.instanceId),
      [T.AuditSink, T.Hasher, T.Clock],
    );
  container
    .bind(T.SignatureMaker)
    .toResolvedValue(
      (keyStore, signers, clock) => new SignatureMaker(keyStore, signers, clock, settings.verifySignatures),
      [T.KeyStore, T.Signers, T.Clock],
    );
  container
    .bind(T.PayloadMaker)
    .toResolvedValue(
      (formats, hasher, typedData) => new PayloadMaker(formats, hasher, typedData),
      [T.DataFormatValidator, T.Hasher, T.TypedDataEncoder],
    );
  container.bind(T.SigningPerformance).toResolvedValue(() => new SigningPerformance());
  container
    .bind(T.SignRequestService)
    .toResolvedValue(
      (registry, payloads, signatures, audit, performance, clock) =>
        new SignRequestService(registry, payloads, signatures, audit, performance, clock),
      [T.RegistryHolder, T.PayloadMaker, T.SignatureMaker, T.AuditEntryService, T.SigningPerformance, T.Clock],
    );
  container
    .bind(T.SignBatchService)
    .toResolvedValue(
      (registry, signing, clock) => new SignBatchService(registry, signing, clock),
      [T.RegistryHolder, T.SignRequestService, T.Clock],
    );
  container
    .bind(T.VerifySignatureService)
    .toResolvedValue(
      (registry, payloads, keyStore, signers, audit, clock) =>
        new VerifySignatureService(registry, payloads, keyStore, signers, audit, clock),
      [T.RegistryHolder, T.PayloadMaker, T.KeyStore, T.Signers, T.AuditEntryService, T.Clock],
    );
  container
    .bind(T.AccountService)
    .toResolvedValue(
      (registry, usage, clock) => new AccountService(registry, usage, clock),
      [T.RegistryHolder, T.UsageLedger, T.Clock],
    );
  container
    .bind(T.RegistryLoader)
    .toResolvedValue(
      (source, keyStore, signers, clock) => new RegistryLoader(source, keyStore, signers, clock),
      [T.CredentialSource, T.KeyStore, T.Signers, T.Clock],
    );
  container.bind(T.ReloadService).toResolvedValue(
    (registry, loader, keyStore, audit, history, clock, log) =>
      new ReloadService({
        ...{ registry, loader, keyStore, audit, history, clock, log },
        maxRemoved: settings.reloadMaxRemoved,
      }),
    [T.RegistryHolder, T.RegistryLoader, T.KeyStore, T.AuditEntryService, T.ReloadHistory, T.Clock, T.ServiceLog],
  );
  container.bind(T.StatusService).toResolvedValue(
    (registry, usage, performance, audit, reloads, clock) =>
      new StatusService({
        ...{ registry, usage, performance, audit, reloads, clock },
        config: { path: settings.credentialsFile, isWatching: settings.watch },
      }),
    [T.RegistryHolder, T.UsageLedger, T.SigningPerformance, T.AuditEntryService, T.ReloadHistory, T.Clock],
  );
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
  container
    .bind(T.AccountAdministrationService)
    .toResolvedValue(
      (editor, keyStore, signers, clock) => new AccountAdministrationService(editor, keyStore, signers, clock),
      [T.CredentialEditor, T.KeyStore, T.Signers, T.Clock],
    );
}
