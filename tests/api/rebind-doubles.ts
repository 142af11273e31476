import type { Container } from 'inversify';
import { TOKENS } from '../../src/composition/tokens.ts';
import type { AuditSink } from '../../src/ports/audit-sink.ts';
import type { CredentialSource } from '../../src/ports/credential-source.ts';
import type { KeyStore } from '../../src/ports/key-store.ts';
import type { ReplayGuard } from '../../src/ports/replay-guard.ts';
import type { ServiceLog } from '../../src/ports/service-log.ts';
import { FixedCredentialSource } from '../doubles/fixed-credential-source.ts';
import { MockKeyStore } from '../doubles/mock-key-store.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from './sample-accounts.ts';

/** What takes the place of files and of the vault. */
export interface Doubles {
  readonly sink: AuditSink;
  readonly log: ServiceLog;
  readonly keyStore?: KeyStore;
  /** By default that of a real start, which refuses what is made in its first 30 seconds. */
  readonly replayGuard?: ReplayGuard;
  /** By default the sample accounts. */
  readonly source?: CredentialSource;
}

/** Has a composed service run without files: `startService` starts it as it starts the real one. */
export function rebindDoubles(container: Container, { sink, log, keyStore, source, replayGuard }: Doubles): void {
  container.rebind(TOKENS.AuditSink).toConstantValue(sink);
  container.rebind(TOKENS.KeyStore).toConstantValue(keyStore ?? new MockKeyStore());
  if (replayGuard !== undefined) container.rebind(TOKENS.ReplayGuard).toConstantValue(replayGuard);
  container.rebind(TOKENS.ServiceLog).toConstantValue(log);
  container
    .rebind(TOKENS.CredentialSource)
    .toConstantValue(source ?? new FixedCredentialSource({ platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS }));
}
