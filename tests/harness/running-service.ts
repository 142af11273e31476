import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { ServedConnections } from '../../src/adapters/http/connections/served-connections.ts';
import { createServer, listen, type Server } from '../../src/adapters/http/server.ts';
import type { StateDependencies } from '../../src/adapters/http/state/read-state.ts';
import type { ClientTrust } from '../../src/adapters/http/tls/client-trust.ts';
import type { ClientTrustFileNames } from '../../src/adapters/http/tls/client-trust-files.ts';
import type { CertificateHeader } from '../../src/adapters/http/tls/forwarded-certificate.ts';
import type { TlsCertificate } from '../../src/adapters/http/tls/tls-certificate.ts';
import type { TlsFileNames } from '../../src/adapters/http/tls/tls-files.ts';
import { MemoryUsageLedger } from '../../src/adapters/usage/memory-usage-ledger.ts';
import { SodiumKeyStore } from '../../src/adapters/vault/sodium-key-store.ts';
import { AdapterSet, type Adapters } from '../../src/app/adapters.ts';
import { createRateLimiters } from '../../src/app/limits.ts';
import { Endings, openService, type ReplaceDependencies } from '../../src/app/open-service.ts';
import { readServiceSettings, type Settings } from '../../src/app/settings/settings.ts';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import type { BudgetEntry, PolicyEntry } from '../../src/domain/model/policy.ts';
import type { RateLimit, RateLimiters } from '../../src/ports/window-ledger.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../doubles/memory-audit-sink.ts';
import { RecordingMetrics } from '../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { ROOMY_DISK } from '../doubles/roomy-disk.ts';
import { ScriptedWindowLedger } from '../doubles/scripted-window-ledger.ts';
import { StagedCredentialSource } from '../doubles/staged-credential-source.ts';
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

/** Options of a test: settings and more. Files are not watched by default. */
export interface ServiceParts extends Partial<Omit<Settings, 'tls'>> {
  readonly tls?: TlsFileNames;
  /** Requires `tls` or `certificateHeader`. */
  readonly clients?: ClientTrustFileNames;
  /** In which `trustedProxies` forward client certificates. */
  readonly certificateHeader?: CertificateHeader;
  /** Default: no list. */
  readonly permissions?: readonly PermissionEntry[];
  /** Default: none. */
  readonly policies?: readonly PolicyEntry[];
  /** Default: none. */
  readonly budgets?: readonly BudgetEntry[];
  /** Rate limit of a caller; default: none. */
  readonly perCaller?: RateLimit;
  /** Limit of failed authentication by address; default: high. */
  readonly failures?: RateLimit;
  /** Rate limit of an account; default: none. */
  readonly perAccount?: RateLimit;
  /** Replaces adapters. */
  readonly adapters?: Partial<Adapters>;
  /** Replaces services of the application. */
  readonly replace?: (dependencies: StateDependencies) => Replacements;
}

/** Doubles may be partial. */
export type Replacements = {
  readonly [Name in keyof StateDependencies]?: StateDependencies[Name] | Partial<StateDependencies[Name]>;
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
  readonly ledger: ScriptedWindowLedger;
  /** Empties records and log, for the next of several tests that share the service. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts the service with the sample accounts. Close it after the test. */
export async function startService(parts: ServiceParts = {}): Promise<RunningService> {
  const clock = (parts.adapters?.clock as FixedClock | undefined) ?? new FixedClock(STARTED_AT);
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
  const ledger = new ScriptedWindowLedger(clock);
  const settings = settingsOf(parts);
  const adapters = new AdapterSet(settings, {
    ...{ clock, log, usage, keyStore, metrics, budgets: ledger, source: credentials, sink: records },
    space: { bytes: async () => ROOMY_DISK.freeBytes },
    ...(parts.failures !== undefined && { limiters: limitersOf(settings, parts.failures, clock) }),
    ...parts.adapters,
  });
  const endings = new Endings();
  const { apps, registry, loader, auditDisk, tls } = await openService(
    settings,
    adapters,
    endings,
    parts.replace as ReplaceDependencies,
  );
  // Not by a reload, which would be on the record.
  registry.replace(await loader.load(registry.current, STARTED_AT), STARTED_AT);
  metrics.configured(registry.current);
  await auditDisk.check();
  const forget = () => {
    records.clear();
    log.events.length = 0;
  };
  forget();

  const app = apps.api;
  const stoppable = createServer(app, { tls: tls.tls, metrics, log });
  const { server } = stoppable;
  const { port }: AddressInfo = await listen(server, { host: '127.0.0.1', port: 0 });
  const close = async () => {
    await stoppable.stop(0);
    await endings.run();
  };
  const outside = { clock, log, records, credentials, keyStore, metrics, ledger };
  return {
    server,
    app,
    port,
    tls: tls.tls?.certificate ?? null,
    clients: tls.clients,
    stoppable,
    ...outside,
    forget,
    close,
  };
}

const DEFAULT_SETTINGS = readServiceSettings({
  SIGNING_INSTANCE_ID: 'test-instance',
  SIGNING_WATCH: 'false',
  SIGNING_AUDIT_FILE: '/var/lib/signing-service/audit.jsonl',
  [CHECKPOINT_COPY.setting]: CHECKPOINT_COPY.place,
});

/** The default settings but for the options of a test. */
function settingsOf({ tls, clients, certificateHeader: header, ...parts }: ServiceParts): Settings {
  const { trustedProxies: proxies = null } = parts;
  return {
    ...DEFAULT_SETTINGS,
    ...parts,
    tls: tls === undefined ? null : { ...tls, clients: clients ?? null },
    forwardedCertificates:
      header === undefined || clients === undefined || proxies === null ? null : { header, proxies, clients },
    rateLimits: { perCaller: parts.perCaller ?? null, perAccount: parts.perAccount ?? null },
  };
}

function limitersOf(settings: Settings, failures: RateLimit, clock: FixedClock): RateLimiters {
  const limiters = createRateLimiters(settings, { redis: null, clock, log: new RecordingServiceLog() });
  return { ...limiters, failures: { ...failures, ledger: limiters.failures.ledger } };
}
