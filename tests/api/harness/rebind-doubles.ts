import type { Container } from 'inversify';
import { TOKENS } from '../../../src/app/container-tokens.ts';
import type { AuditSink } from '../../../src/ports/audit-sink.ts';
import type { CredentialSource } from '../../../src/ports/credential-source.ts';
import type { KeyStore } from '../../../src/ports/key-store.ts';
import type { ReplayGuard } from '../../../src/ports/replay-guard.ts';
import type { ServiceLog } from '../../../src/ports/service-log.ts';
import { FixedCredentialSource } from '../../doubles/fixed-credential-source.ts';
import { MockKeyStore } from '../../doubles/mock-key-store.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from './sample-accounts.ts';

/** Doubles for files and vault. */
export interface Doubles {
  readonly sink: AuditSink;
  readonly log: ServiceLog;
  readonly keyStore?: KeyStore;
  /** Default: the real one, which refuses requests from before 30 seconds after the start. */
  readonly replayGuard?: ReplayGuard;
  /** Default: the sample accounts. */
  readonly source?: CredentialSource;
}

/** Makes a composed service independent of files; `startService` starts it like the real one. */
export function rebindDoubles(container: Container, { sink, log, keyStore, source, replayGuard }: Doubles): void {
  container.rebind(TOKENS.AuditSink).toConstantValue(sink);
  container.rebind(TOKENS.KeyStore).toConstantValue(keyStore ?? new MockKeyStore());
  if (replayGuard !== undefined) container.rebind(TOKENS.ReplayGuard).toConstantValue(replayGuard);
  container.rebind(TOKENS.ServiceLog).toConstantValue(log);
  container
    .rebind(TOKENS.CredentialSource)
    .toConstantValue(source ?? new FixedCredentialSource({ platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS }));
}
