import { Ed25519Signer } from '../../src/adapters/driven/signer/ed25519-signer.ts';
import type { AuditEntry } from '../../src/domain/model/audit-entry.ts';
import { CredentialLoadError } from '../../src/domain/model/errors.ts';
import { AlteredSigner } from '../doubles/altered-signer.ts';
import { DelayingAuditSink } from '../doubles/delaying-audit-sink.ts';
import { StagedCredentialSource } from '../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../doubles/tracking-key-store.ts';
import { isValidSignature } from '../unit/domain/services/is-valid-signature.ts';
import { describeAuditSinkContract } from './audit-sink-contract.ts';
import { describeCredentialSourceContract } from './credential-source-contract.ts';
import { describeKeyStoreContract } from './key-store-contract.ts';
import { describeSignerContract } from './signer-contract.ts';

/** A test that lets each append succeed at once. */
class PromptAuditSink extends DelayingAuditSink {
  override async append(entry: AuditEntry): Promise<void> {
    const appended = super.append(entry);
    if (this.waiting.length > 0) this.succeed();
    await appended;
  }
}

describeAuditSinkContract('DelayingAuditSink, let succeed at once', async () => {
  const sink = new PromptAuditSink();
  return { sink, durableEntries: async () => sink.durable, dispose: async () => {} };
});

describeKeyStoreContract('TrackingKeyStore', () => new TrackingKeyStore());

describeCredentialSourceContract('StagedCredentialSource', async () => ({
  make: async (configuration) => new StagedCredentialSource(configuration),
  makeWrong: async () => {
    const source = new StagedCredentialSource();
    source.failWith(new CredentialLoadError('staged', [{ path: 'accounts[0]', message: 'is wrong' }]));
    return source;
  },
  dispose: async () => {},
}));

describeSignerContract('AlteredSigner that alters nothing', {
  make: () => {
    const signer = new Ed25519Signer();
    return new AlteredSigner(signer, (key, message, encoding) => signer.sign(key, message, encoding));
  },
  invalidKeys: [],
  verifyIndependently: (publicKey, message, signature, encoding) =>
    isValidSignature({ signature, publicKey, encoding, algorithm: 'ed25519' }, message),
});
