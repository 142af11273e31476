import type { AddressInfo } from 'node:net';
import { ZodDataFormatValidator } from '../../src/adapters/driven/data-format-validator/zod-data-format-validator.ts';
import { NodeHasher } from '../../src/adapters/driven/hasher/node-hasher.ts';
import { SodiumKeyStore } from '../../src/adapters/driven/key-store/sodium-key-store.ts';
import { EthersTypedDataEncoder } from '../../src/adapters/driven/typed-data-encoder/ethers-typed-data-encoder.ts';
import { MemoryUsageLedger } from '../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { type AppDependencies, createApp } from '../../src/adapters/driving/http/app.ts';
import { createServer, listen } from '../../src/adapters/driving/http/server.ts';
import type { Server } from '../../src/adapters/driving/http/server-type.ts';
import { StoppableServer } from '../../src/adapters/driving/http/stoppable-server.ts';
import { TlsCertificate } from '../../src/adapters/driving/http/tls-certificate.ts';
import type { TlsFileNames } from '../../src/adapters/driving/http/tls-files.ts';
import { createSigners } from '../../src/composition/create-signers.ts';
import { AccountService } from '../../src/domain/services/account-service.ts';
import { AuditEntryService } from '../../src/domain/services/audit-entry-service.ts';
import { PayloadMaker } from '../../src/domain/services/payload-maker.ts';
import { ReadinessService } from '../../src/domain/services/readiness-service.ts';
import { RegistryHolder } from '../../src/domain/services/registry-holder.ts';
import { RegistryLoader } from '../../src/domain/services/registry-loader.ts';
import { ReloadHistory } from '../../src/domain/services/reload-history.ts';
import { ReloadService } from '../../src/domain/services/reload-service.ts';
import { SelfTestService } from '../../src/domain/services/self-test-service.ts';
import { SignBatchService } from '../../src/domain/services/sign-batch-service.ts';
import { SignRequestService } from '../../src/domain/services/sign-request-service.ts';
import { SignatureMaker } from '../../src/domain/services/signature-maker.ts';
import { SigningPerformance } from '../../src/domain/services/signing-performance.ts';
import { StatusService } from '../../src/domain/services/status-service.ts';
import { VerifySignatureService } from '../../src/domain/services/verify-signature-service.ts';
import type { AuditSink } from '../../src/ports/audit-sink.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { StagedCredentialSource } from '../doubles/staged-credential-source.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from './sample-accounts.ts';

/** When the service of the harness starts, and what its clock shows until a test moves it. */
export const STARTED_AT = '2026-11-20T08:49:00.000Z';

/** What a test may replace. */
export interface ServiceParts {
  readonly auditSink?: AuditSink;
  readonly maxBatch?: number;
  readonly maxInFlight?: number;
  readonly maxQueue?: number;
  readonly tls?: TlsFileNames;
  /** Takes the services as they are and gives those that the application gets. */
  readonly replace?: (dependencies: AppDependencies) => Partial<AppDependencies>;
}

/** The whole service but for files and settings, listening on a port of 127.0.0.1. */
export interface RunningService {
  readonly server: Server;
  readonly port: number;
  /** Null for HTTP. */
  readonly tls: TlsCertificate | null;
  readonly stoppable: StoppableServer;
  readonly clock: FixedClock;
  readonly log: RecordingServiceLog;
  /** Records of the default audit sink. What another one writes is counted only where that was given a ledger. */
  readonly records: MemoryAuditSink;
  readonly credentials: StagedCredentialSource;
  readonly keyStore: SodiumKeyStore;
  close(): Promise<void>;
}

/** Starts the service with the sample accounts loaded. Close it when the test is over. */
export async function startService(parts: ServiceParts = {}): Promise<RunningService> {
  const clock = new FixedClock(STARTED_AT);
  const log = new RecordingServiceLog();
  const usage = new MemoryUsageLedger();
  const records = new MemoryAuditSink(usage);
  const credentials = new StagedCredentialSource({ platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS });
  const keyStore = new SodiumKeyStore();
  const dependencies = await composeServices({
    credentials,
    keyStore,
    clock,
    log,
    usage,
    sink: parts.auditSink ?? records,
  });

  const tls = parts.tls === undefined ? null : new TlsCertificate(parts.tls, clock, log);
  const { maxBatch = 1000, maxInFlight = 2048, maxQueue = 1024 } = parts;
  const all = { ...dependencies, tls, maxBatch, maxInFlight, maxQueue };
  const server = createServer(createApp({ ...all, ...parts.replace?.(all) }), tls);
  const stoppable = new StoppableServer(server);
  const { port }: AddressInfo = await listen(server, '127.0.0.1', 0);
  const close = async () => {
    await stoppable.stop(0);
    keyStore.purge();
  };
  return { server, port, tls, stoppable, clock, log, records, credentials, keyStore, close };
}

interface Outside {
  readonly credentials: StagedCredentialSource;
  readonly keyStore: SodiumKeyStore;
  readonly clock: FixedClock;
  readonly log: RecordingServiceLog;
  readonly usage: MemoryUsageLedger;
  readonly sink: AuditSink;
}

async function composeServices(
  outside: Outside,
): Promise<Omit<AppDependencies, 'maxBatch' | 'maxInFlight' | 'maxQueue' | 'tls'>> {
  const { credentials, keyStore, clock, log, usage, sink } = outside;
  const signers = createSigners();
  const registry = new RegistryHolder();
  const loader = new RegistryLoader(credentials, keyStore, signers, clock);
  const history = new ReloadHistory();
  const audit = new AuditEntryService(sink, new NodeHasher(), clock, 'test-instance');
  const payloads = new PayloadMaker(new ZodDataFormatValidator(), new NodeHasher(), new EthersTypedDataEncoder());
  const signatures = new SignatureMaker(keyStore, signers, clock, false);
  const performance = new SigningPerformance();
  const signing = new SignRequestService(registry, payloads, signatures, audit, performance, clock);
  registry.replace(await loader.load(registry.current, STARTED_AT), STARTED_AT);
  return {
    signing,
    batches: new SignBatchService(registry, signing, clock),
    verification: new VerifySignatureService(registry, payloads, keyStore, signers, audit, clock),
    accounts: new AccountService(registry, usage, clock),
    reloads: new ReloadService({ registry, loader, keyStore, audit, history, clock, log, maxRemoved: null }),
    status: new StatusService({
      ...{ registry, usage, performance, audit, reloads: history, clock },
      config: { path: credentials.location, isWatching: false },
    }),
    readiness: new ReadinessService(registry, sink, new SelfTestService(keyStore, signers, clock)),
    audit,
    clock,
    log,
  };
}
