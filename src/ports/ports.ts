import type { AuditSink } from './audit-sink.ts';
import type { SignatureVerifier } from './authentication.ts';
import type { Clock } from './clock.ts';
import type { CredentialEditor } from './credential-editor.ts';
import type { CredentialSource } from './credential-source.ts';
import type { Hasher, StarknetHasher } from './hasher.ts';
import type { KeyStore } from './key-store.ts';
import type { Metrics } from './metrics.ts';
import type { PolicyLanguage } from './policy-language.ts';
import type { ReplayGuard } from './replay-guard.ts';
import type { ServiceLog } from './service-log.ts';
import type { SignerTable } from './signer.ts';
import type { Traces } from './traces.ts';
import type { UsageLedger } from './usage-ledger.ts';
import type { RateLimiters, WindowLedger } from './window-ledger.ts';

/** The ports, by the names under which services get them. */
export interface Ports {
  readonly clock: Clock;
  readonly log: ServiceLog;
  readonly hasher: Hasher;
  readonly metrics: Metrics;
  /** Null without an endpoint. */
  readonly traces: Traces | null;

  /** Holds the keys of accounts: the vault, unless a module replaces it. */
  readonly keyStore: KeyStore;
  readonly signers: SignerTable;
  readonly starknet: StarknetHasher;
  /** The language of policies: a service without policies never loads it. */
  readonly loadPolicyLanguage: () => Promise<PolicyLanguage>;

  readonly source: CredentialSource;
  readonly editor: CredentialEditor;

  readonly sink: AuditSink;
  readonly usage: UsageLedger;
  readonly limiters: RateLimiters;
  readonly budgets: WindowLedger;

  readonly guard: ReplayGuard;
  readonly verifier: SignatureVerifier;
}
