import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import type { FixedAccount, FixedConfiguration } from '../../../doubles/fixed-credential-source.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { StagedCredentialSource } from '../../../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { acceptedValue } from './outcome-expectations.ts';
import { CONTEXT, SigningWorkbench, type WorkbenchParts } from './signing-workbench.ts';

export const PLATFORMS = [samplePlatform(), samplePlatform({ platformId: 'beta' })];

/** Alpha's main account with one of 255 keys. */
export const withKey = (number: number, fields: Partial<FixedAccount> = {}): FixedAccount =>
  sampleCredential({ privateKey: samplePrivateKey(number), ...fields });

/** A workbench whose configuration is loaded by reloads. */
export class ReloadWorkbench<Sink extends AuditSink = MemoryAuditSink> extends SigningWorkbench<Sink> {
  readonly source: StagedCredentialSource;
  readonly keys: TrackingKeyStore;

  constructor(parts: Pick<WorkbenchParts<Sink>, 'makeSink' | 'clock' | 'maxRemoved'>) {
    const source = new StagedCredentialSource();
    const keys = new TrackingKeyStore();
    super({ ...parts, source, keyStore: keys });
    this.source = source;
    this.keys = keys;
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
  parts: Pick<WorkbenchParts<MemoryAuditSink>, 'clock' | 'maxRemoved'> = {},
): ReloadWorkbench {
  return new ReloadWorkbench({ makeSink: (usage) => new MemoryAuditSink(usage), ...parts });
}
