import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { createApp } from '../../../src/adapters/http/app.ts';
import type { AppDependencies } from '../../../src/adapters/http/app-dependencies.ts';
import { clientCertificateCheck } from '../../../src/adapters/http/callers/client-certificate-check.ts';
import { PRIVATE_NETWORKS } from '../../../src/adapters/http/callers/network.ts';
import { NetworkList, type ServedNetworks } from '../../../src/adapters/http/callers/network-list.ts';
import type { ServedConnections } from '../../../src/adapters/http/connections/served-connections.ts';
import { createServer, listen, type Server } from '../../../src/adapters/http/server.ts';
import { ClientTrust } from '../../../src/adapters/http/tls/client-trust.ts';
import type { ClientTrustFileNames } from '../../../src/adapters/http/tls/client-trust-files.ts';
import type { CertificateHeader } from '../../../src/adapters/http/tls/forwarded-certificate.ts';
import { ForwardedClients } from '../../../src/adapters/http/tls/forwarded-clients.ts';
import { TlsCertificate } from '../../../src/adapters/http/tls/tls-certificate.ts';
import type { TlsFileNames } from '../../../src/adapters/http/tls/tls-files.ts';
import { showFact } from '../../../src/adapters/http/views.ts';
import { MemoryRateLimiter } from '../../../src/adapters/limits/memory-rate-limiter.ts';
import { NodeHasher } from '../../../src/adapters/node/node-hasher.ts';
import { EthersTypedDataEncoder } from '../../../src/adapters/signing/ethers-typed-data-encoder.ts';
import { ScureStarknetTypedDataEncoder } from '../../../src/adapters/signing/starknet-typed-data-encoder.ts';
import { MemoryUsageLedger } from '../../../src/adapters/usage/memory-usage-ledger.ts';
import { SodiumKeyStore } from '../../../src/adapters/vault/sodium-key-store.ts';
import { createSigners } from '../../../src/app/compose.ts';
import type { PermissionEntry } from '../../../src/domain/model/permissions.ts';
import type { BudgetEntry, PolicyEntry } from '../../../src/domain/model/policy.ts';
import type { RateBudget } from '../../../src/domain/model/refusal.ts';
import { AccountService } from '../../../src/domain/services/account-service.ts';
import { AuditEntryService } from '../../../src/domain/services/audit-entry-service.ts';
import { DryRunService } from '../../../src/domain/services/dry-run-service.ts';
import { MonitoringService } from '../../../src/domain/services/monitoring-service.ts';
import { ReadinessService } from '../../../src/domain/services/readiness-service.ts';
import { RecentActivity } from '../../../src/domain/services/recent-activity.ts';
import { RegistryHolder } from '../../../src/domain/services/registry-holder.ts';
import { RegistryLoader } from '../../../src/domain/services/registry-loader.ts';
import { ReloadHistory, ReloadService, RequestedReloadService } from '../../../src/domain/services/reload-service.ts';
import { RetiredKeys } from '../../../src/domain/services/retired-keys.ts';
import { SelfTestService } from '../../../src/domain/services/self-test-service.ts';
import { SignBatchService } from '../../../src/domain/services/sign-batch-service.ts';
import { SigningPerformance, SignRequestService } from '../../../src/domain/services/sign-request-service.ts';
import { StatusService } from '../../../src/domain/services/status-service.ts';
import { VerifySignatureService } from '../../../src/domain/services/verify-signature-service.ts';
import type { AuditSink } from '../../../src/ports/audit-sink.ts';
import type { RateLimiter } from '../../../src/ports/rate-limiter.ts';
import { FixedClock } from '../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { policyCompiler } from '../../doubles/policy-compiler.ts';
import { QUIET_PROCESS, ROOMY_DISK } from '../../doubles/quiet-state.ts';
import { RecordingMetrics } from '../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { StagedCredentialSource } from '../../doubles/staged-credential-source.ts';
import { WindowBudgetLedger } from '../../doubles/window-budget-ledger.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from './sample-accounts.ts';

/** Start time, and the initial time of the clock. */
export const STARTED_AT = '2026-11-20T08:49:00.000Z';

/** The second place of checkpoints in the status. */
export const CHECKPOINT_COPY = {
  setting: 'SIGNING_AUDIT_CHECKPOINT_FILE',
  place: '/mnt/auditors/checkpoints.jsonl',
  seq: null,
  failures: 0,
} as const;

/** Options of a test. */
export interface ServiceParts {
  readonly auditSink?: AuditSink;
  readonly maxBatch?: number;
  readonly maxInFlight?: number;
  /** Default false. */
  readonly hasConsole?: boolean;
  /** Default 14. */
  readonly expiryWarningDays?: number;
  readonly maxQueue?: number;
  readonly logsRequests?: boolean;
  readonly tls?: TlsFileNames;
  /** Requires `tls` or `certificateHeader`. */
  readonly clients?: ClientTrustFileNames;
  /** In which `networks.trustedProxies` forward client certificates. */
  readonly certificateHeader?: CertificateHeader;
  readonly networks?: Partial<ServedNetworks>;
  /** Default: no list. */
  readonly permissions?: readonly PermissionEntry[];
  /** Default: none. */
  readonly policies?: readonly PolicyEntry[];
  /** Default: none. */
  readonly budgets?: readonly BudgetEntry[];
  /** Rate limit of a caller; default: none. */
  readonly perCaller?: RateBudget;
  /** Limit of failed authentication by address; default: high. */
  readonly failures?: RateBudget;
  /** Rate limit of an account; default: none. */
  readonly perAccount?: RateBudget;
  /** Replaces services of the application. */
  readonly replace?: (dependencies: AppDependencies) => Replacements;
}

/** Doubles may be partial. */
export type Replacements = {
  readonly [Name in keyof AppDependencies]?: AppDependencies[Name] | Partial<AppDependencies[Name]>;
};

/** The whole service except files and settings, on a port of 127.0.0.1. */
export interface RunningService {
  readonly server: Server;
  readonly app: Express;
  readonly port: number;
  /** Null for HTTP. */
  readonly tls: TlsCertificate | null;
  /** Null without client certificates. */
  readonly clients: ClientTrust | null;
  readonly stoppable: ServedConnections;
  readonly clock: FixedClock;
  readonly log: RecordingServiceLog;
  /** Records of the default audit sink; other sinks need a ledger to count usage. */
  readonly records: MemoryAuditSink;
  readonly credentials: StagedCredentialSource;
  readonly keyStore: SodiumKeyStore;
  readonly metrics: RecordingMetrics;
  readonly ledger: WindowBudgetLedger;
  close(): Promise<void>;
}

/** Starts the service with the sample accounts. Close it after the test. */
export async function startService(parts: ServiceParts = {}): Promise<RunningService> {
  const clock = new FixedClock(STARTED_AT);
  const log = new RecordingServiceLog();
  const usage = new MemoryUsageLedger();
  const records = new MemoryAuditSink(usage);
  const credentials = new StagedCredentialSource({
    platforms: SAMPLE_PLATFORMS,
    accounts: SAMPLE_ACCOUNTS,
    ...(parts.permissions === undefined ? {} : { permissions: parts.permissions }),
    policies: parts.policies ?? [],
    budgets: parts.budgets ?? [],
  });
  const keyStore = new SodiumKeyStore();
  const metrics = new RecordingMetrics();
  const ledger = new WindowBudgetLedger(clock);
  const accountLimiter = limiterOf(parts.perAccount, clock);
  const dependencies = await composeServices({
    credentials,
    keyStore,
    clock,
    log,
    usage,
    metrics,
    sink: parts.auditSink ?? records,
    ledger,
    accountLimiter,
  });
  const rateLimits = {
    callers: limiterOf(parts.perCaller, clock),
    failures: new MemoryRateLimiter(parts.failures ?? { points: 10_000, windowSeconds: 1 }, clock),
    accounts: accountLimiter,
  };

  const tls = parts.tls === undefined ? null : new TlsCertificate(parts.tls, clock, log, parts.expiryWarningDays ?? 14);
  const clients = parts.clients === undefined ? null : new ClientTrust(parts.clients, clock, log, false);
  const serverTls = tls === null ? null : { certificate: tls, clients };
  const networks = { allowed: new NetworkList(PRIVATE_NETWORKS), trustedProxies: null, ...parts.networks };
  const { maxBatch = 1000, maxInFlight = 2048, maxQueue = 1024, logsRequests = true } = parts;
  const { hasConsole = false, expiryWarningDays = 14 } = parts;
  const { certificateHeader: header } = parts;
  const { trustedProxies: proxies } = networks;
  const isForwarded = header !== undefined && clients !== null && proxies !== null;
  const forwarded = isForwarded ? new ForwardedClients({ header, trust: clients, proxies, clock }) : null;
  const callerChecks = clients === null ? [] : [clientCertificateCheck(clients, forwarded)];
  const seen = { tls: serverTls, forwarded, networks };
  const limits = { maxBatch, maxInFlight, maxQueue };
  const all = {
    ...dependencies,
    rateLimits,
    ...seen,
    callerChecks,
    ...limits,
    logsRequests,
    hasConsole,
    expiryWarningDays,
  };
  const app = createApp({ ...all, ...parts.replace?.(all) } as AppDependencies);
  const stoppable = createServer(app, all);
  const { server } = stoppable;
  const { port }: AddressInfo = await listen(server, { host: '127.0.0.1', port: 0 });
  const close = async () => {
    await stoppable.stop(0);
    keyStore.purge();
  };
  const outside = { clock, log, records, credentials, keyStore, metrics, ledger };
  return { server, app, port, tls, clients, stoppable, ...outside, close };
}

function limiterOf(budget: RateBudget | undefined, clock: FixedClock): MemoryRateLimiter | null {
  return budget === undefined ? null : new MemoryRateLimiter(budget, clock);
}

interface Outside {
  readonly credentials: StagedCredentialSource;
  readonly keyStore: SodiumKeyStore;
  readonly clock: FixedClock;
  readonly log: RecordingServiceLog;
  readonly usage: MemoryUsageLedger;
  readonly metrics: RecordingMetrics;
  readonly sink: AuditSink;
  readonly ledger: WindowBudgetLedger;
  readonly accountLimiter: RateLimiter | null;
}

async function composeServices(
  outside: Outside,
): Promise<
  Omit<
    AppDependencies,
    | 'hasConsole'
    | 'expiryWarningDays'
    | 'logsRequests'
    | 'maxBatch'
    | 'maxInFlight'
    | 'maxQueue'
    | 'rateLimits'
    | 'tls'
    | 'forwarded'
    | 'networks'
    | 'callerChecks'
  >
> {
  const { credentials, keyStore, clock, log, usage, metrics, sink, ledger, accountLimiter } = outside;
  const signers = createSigners();
  const registry = new RegistryHolder();
  const loader = new RegistryLoader(credentials, keyStore, signers, clock, policyCompiler(), new NodeHasher());
  const history = new ReloadHistory();
  const activity = new RecentActivity(clock, history);
  const audit = new AuditEntryService(sink, new NodeHasher(), clock, 'test-instance', log, metrics, activity);
  const tools = {
    hasher: new NodeHasher(),
    typedData: new EthersTypedDataEncoder(),
    starknet: new ScureStarknetTypedDataEncoder(),
  };
  const performance = new SigningPerformance();
  const retiredKeys = new RetiredKeys(keyStore, clock);
  const reloads = new ReloadService({
    ...{ registry, loader, keyStore, retiredKeys, audit, hasher: new NodeHasher(), history, clock, log, metrics },
    maxRemoved: null,
  });
  const signing = new SignRequestService({
    ...{ registry, keyStore, retiredKeys, signers, ...tools, audit, performance, clock, metrics },
    limiter: accountLimiter,
    budgets: ledger,
    verifiesSignatures: false,
  });
  registry.replace(await loader.load(registry.current, STARTED_AT), STARTED_AT);
  metrics.platformsConfigured(registry.current.platformIds);
  metrics.callersConfigured(registry.current.permissions);
  metrics.policiesConfigured(registry.current.policies.entries.map(({ name }) => name));
  metrics.budgetsConfigured(registry.current.policies.budgets.map(({ name }) => name));
  const readiness = new ReadinessService(registry, sink, new SelfTestService(keyStore, signers, clock));
  showFact(readiness, 'audit', () => ({ disk: { ...ROOMY_DISK } }));
  return {
    signing,
    batches: new SignBatchService(signing, clock, metrics),
    dryRuns: new DryRunService({ registry, ...tools, audit, clock, budgets: ledger, metrics }),
    verification: new VerifySignatureService({
      ...{ registry, keyStore, retiredKeys, signers, ...tools, audit, clock, metrics },
    }),
    accounts: new AccountService(registry, usage, clock),
    reloads: new RequestedReloadService({ registry, reloads, audit, clock, log }),
    activity,
    status: new StatusService({
      ...{ registry, usage, performance, sink, reloads: history, clock },
      instance: { id: 'test-instance', version: '1.2.3' },
      config: { path: credentials.location, isWatching: false },
      auditFile: {
        path: '/var/lib/signing-service/audit.jsonl',
        disk: () => ROOMY_DISK,
        checkpointCopies: () => [CHECKPOINT_COPY],
      },
    }),
    readiness,
    monitoring: new MonitoringService({
      ...{ metrics, registry, usage, performance, sink, reloads: history, readiness, keyStore, clock },
      isWatched: false,
      namesAccounts: false,
      collectProcess: async () => QUIET_PROCESS,
    }),
    metrics,
    traces: null,
    authentication: null,
    audit,
    clock,
    log,
  };
}
