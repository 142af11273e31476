import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { ScureStarknetHasher } from '../../../../src/adapters/signing/scure-starknet-hasher.ts';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { composeServices } from '../../../../src/app/compose.ts';
import { createRateLimiters } from '../../../../src/app/limits.ts';
import { loadSigners } from '../../../../src/app/load-signer.ts';
import { loadPolicyLanguage } from '../../../../src/app/policy-language.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import type { Account, AccountProfile } from '../../../../src/domain/model/account.ts';
import { type PermissionEntry, Permissions } from '../../../../src/domain/model/permissions.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { NO_POLICIES, type Policies } from '../../../../src/domain/model/policy.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import type { CallContext, SignRequest } from '../../../../src/domain/model/sign-request.ts';
import type { AuditEntryService } from '../../../../src/domain/services/audit-entry-service.ts';
import { toKeyId } from '../../../../src/domain/services/key-admission.ts';
import type { RegistryHolder } from '../../../../src/domain/services/registry-holder.ts';
import type { ReloadService } from '../../../../src/domain/services/reload-service.ts';
import type { RetiredKeys } from '../../../../src/domain/services/retired-keys.ts';
import type { SigningPerformance, SignRequestService } from '../../../../src/domain/services/sign-request-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import type { CredentialSource } from '../../../../src/ports/credential-source.ts';
import type { KeyIdentity } from '../../../../src/ports/key-store.ts';
import type { LoadSigner, SignerTable } from '../../../../src/ports/signer.ts';
import type { UsageLedger } from '../../../../src/ports/usage-ledger.ts';
import type { RateLimiter } from '../../../../src/ports/window-ledger.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { FixedCredentialSource } from '../../../doubles/fixed-credential-source.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { RecordingMetrics } from '../../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { ScriptedWindowLedger } from '../../../doubles/scripted-window-ledger.ts';

/** The service's own signers. */
export const SIGNERS: SignerTable = await loadSigners();

/** Loads one of {@link SIGNERS}. */
export const loadSigner: LoadSigner = async (algorithm) => SIGNERS[algorithm];

/** A caller as HTTP describes it. */
export const CONTEXT: CallContext = {
  correlationId: 'c-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  remoteAddress: '10.1.2.3',
  principal: 'desk-7',
};

/** A request to sign with {@link serveMain}'s account. */
export const REQUEST: SignRequest = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

/** Variable parts of a workbench; the rest is as in the service, with doubles for the outside. */
export interface WorkbenchParts<Sink extends AuditSink> {
  /** Makes the sink, which counts durable entries in `usage`. */
  readonly makeSink: (usage: UsageLedger) => Sink;
  readonly keyStore?: MockKeyStore;
  readonly clock?: FixedClock;
  readonly signers?: SignerTable;
  /** SIGNING_VERIFY_SIGNATURES; default false. */
  readonly verifySignatures?: boolean;
  /** Rate limits of accounts; default: none. */
  readonly accountLimiter?: RateLimiter;
  /** What a reload loads; default: nothing. */
  readonly source?: CredentialSource;
  /** SIGNING_RELOAD_MAX_REMOVED; default: no limit. */
  readonly maxRemoved?: number;
}

/** The signing services over doubles, with a registry that a test fills. */
export class SigningWorkbench<Sink extends AuditSink = MemoryAuditSink> {
  readonly clock: FixedClock;
  readonly usage = new MemoryUsageLedger();
  readonly performance: SigningPerformance;
  readonly registry: RegistryHolder;
  readonly metrics = new RecordingMetrics();
  readonly log = new RecordingServiceLog();
  readonly budgets: ScriptedWindowLedger;
  readonly sink: Sink;
  readonly keyStore: MockKeyStore;
  readonly retiredKeys: RetiredKeys;
  readonly audit: AuditEntryService;
  readonly signing: SignRequestService;
  readonly reloads: ReloadService;

  constructor(parts: WorkbenchParts<Sink>) {
    const { makeSink, keyStore = new MockKeyStore(), signers = SIGNERS, verifySignatures = false } = parts;
    this.clock = parts.clock ?? new FixedClock();
    this.sink = makeSink(this.usage);
    this.keyStore = keyStore;
    this.budgets = new ScriptedWindowLedger(this.clock);
    const { clock, log, metrics, usage, sink, budgets } = this;
    const services = composeServices(
      {
        ...{ clock, log, metrics, usage, sink, budgets, keyStore, signers, loadPolicyLanguage },
        hasher: new NodeHasher(),
        starknet: new ScureStarknetHasher(),
        source: parts.source ?? new FixedCredentialSource({ platforms: [], accounts: [] }),
        limiters: {
          ...createRateLimiters(readSettings({}), { redis: null, clock, log }),
          accounts: parts.accountLimiter ?? null,
        },
      },
      readSettings({
        SIGNING_INSTANCE_ID: 'instance-1',
        SIGNING_VERIFY_SIGNATURES: String(verifySignatures),
        ...(parts.maxRemoved === undefined ? {} : { SIGNING_RELOAD_MAX_REMOVED: String(parts.maxRemoved) }),
      }),
    );
    this.performance = services.performance;
    this.registry = services.registry;
    this.retiredKeys = services.retiredKeys;
    this.audit = services.audit;
    this.signing = services.signing;
    this.reloads = services.reloads;
  }

  /** Stores a private key and returns its account. */
  enrol(fields: Partial<AccountProfile>, privateKey: Uint8Array): Account {
    const { platformId, accountId, alias, status, environment, algorithm, values } = {
      ...sampleCredential(),
      ...(fields.algorithm === 'starknet' ? { values: { address: '0x5' } } : {}),
      ...fields,
    };
    const signer = SIGNERS[algorithm];
    const signingKey = Buffer.alloc(signer.signingKeyLength ?? privateKey.length);
    signer.expand(privateKey, signingKey);
    const identity: KeyIdentity = { platformId, accountId, algorithm };
    const publicKey = signer.publicKey(signingKey);
    return {
      ...{ platformId, accountId, alias, status, environment, algorithm },
      ...(values === undefined ? {} : { values }),
      publicKey,
      keyId: toKeyId(new NodeHasher(), { algorithm, publicKey }),
      createdAt: fields.createdAt ?? '2026-11-01T00:00:00.000Z',
      key: this.keyStore.create(identity, signingKey.length, (secret) => secret.set(signingKey)),
    };
  }

  /** Puts these in force. @param permissions null: no list */
  serve(
    platforms: readonly Platform[],
    accounts: readonly Account[],
    permissions: readonly PermissionEntry[] | null = null,
    policies: Policies = NO_POLICIES,
  ): void {
    const registry = new Registry(platforms, accounts, undefined, new Permissions(permissions), policies);
    this.registry.replace(registry, new Date(this.clock.now()).toISOString());
  }

  /** Owners of the opened keys, in order. */
  get opened(): readonly (KeyIdentity | null)[] {
    return this.keyStore.calls.filter(({ call }) => call === 'use').map(({ identity }) => identity);
  }
}

/** A workbench with an audit sink in memory. */
export function createWorkbench(parts: Omit<WorkbenchParts<MemoryAuditSink>, 'makeSink'> = {}): SigningWorkbench {
  return new SigningWorkbench({ makeSink: (usage) => new MemoryAuditSink(usage), ...parts });
}

/** Serves `alpha/main`, an active ed25519 account with the first sample key. */
export function serveMain<Bench extends SigningWorkbench<AuditSink>>(bench: Bench): Bench {
  bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
  return bench;
}

/** A workbench that serves `alpha/main`, with records that a test makes durable. */
export function createDelayedWorkbench(): SigningWorkbench<DelayingAuditSink> {
  return serveMain(new SigningWorkbench({ makeSink: (usage) => new DelayingAuditSink(usage) }));
}

/** A workbench that serves `alpha/main` while no record can be written. */
export function createUnrecordedWorkbench(): SigningWorkbench<FailingAuditSink> {
  return serveMain(new SigningWorkbench({ makeSink: () => new FailingAuditSink() }));
}
