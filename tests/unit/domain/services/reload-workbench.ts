import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { RegistryLoader } from '../../../../src/domain/services/registry-loader.ts';
import { ReloadHistory, ReloadService } from '../../../../src/domain/services/reload-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import type { UsageLedger } from '../../../../src/ports/usage-ledger.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import type { FixedAccount, FixedConfiguration } from '../../../doubles/fixed-credential-source.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { StagedCredentialSource } from '../../../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { acceptedValue } from './outcome-expectations.ts';
import { CONTEXT, SIGNERS, SigningWorkbench } from './signing-workbench.ts';

export const PLATFORMS = [samplePlatform(), samplePlatform({ platformId: 'beta' })];

/** Alpha's main account with one of 255 keys. */
export const withKey = (number: number, fields: Partial<FixedAccount> = {}): FixedAccount =>
  sampleCredential({ privateKey: samplePrivateKey(number), ...fields });

/** Variable parts of a {@link ReloadWorkbench}. */
interface ReloadWorkbenchParts<Sink> {
  readonly makeSink: (usage: UsageLedger) => Sink;
  readonly clock?: FixedClock;
  /** Default: no limit. */
  readonly maxRemoved?: number;
}

/** A workbench whose configuration is loaded by reloads. */
export class ReloadWorkbench<Sink extends AuditSink = MemoryAuditSink> extends SigningWorkbench<Sink> {
  readonly source = new StagedCredentialSource();
  readonly history = new ReloadHistory();
  readonly keys: TrackingKeyStore;
  readonly reloads: ReloadService;
  /** Warnings about each new generation. */
  readonly warnings: string[] = [];

  constructor({ makeSink, clock = new FixedClock(), maxRemoved }: ReloadWorkbenchParts<Sink>) {
    const keys = new TrackingKeyStore();
    super({ makeSink, keyStore: keys, clock });
    this.keys = keys;
    const hasher = new NodeHasher();
    const loader = new RegistryLoader(this.source, keys, SIGNERS, clock, policyCompiler(), hasher);
    const { registry, audit, history, log, retiredKeys } = this;
    this.reloads = new ReloadService({
      ...{ registry, loader, keyStore: keys, retiredKeys, audit, hasher, history, clock, log },
      getWarnings: async (loaded, replaced) =>
        this.warnings.map((warning) => `${replaced.accountCount} to ${loaded.accountCount} accounts: ${warning}`),
      maxRemoved: maxRemoved ?? null,
    });
  }

  /** Sets these accounts for the next load. */
  contain(accounts: readonly FixedAccount[], others: Partial<FixedConfiguration> = {}): void {
    this.source.contain({ platforms: PLATFORMS, accounts, ...others });
  }

  /** Puts these accounts in force. */
  async load(accounts: readonly FixedAccount[], others: Partial<FixedConfiguration> = {}) {
    this.contain(accounts, others);
    return acceptedValue(await this.reloads.reload('request', CONTEXT));
  }

  get aliases(): readonly string[] {
    return this.registry.current.accounts().map(({ alias }) => alias);
  }

  /** Ids of the keys in force. */
  get keysInForce(): readonly string[] {
    return this.registry.current.accounts().map(({ key }) => key.id);
  }
}

/** A workbench with an audit sink in memory. */
export function createReloadWorkbench(
  parts: Omit<ReloadWorkbenchParts<MemoryAuditSink>, 'makeSink'> = {},
): ReloadWorkbench {
  return new ReloadWorkbench({ makeSink: (usage) => new MemoryAuditSink(usage), ...parts });
}
