import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import {
  AccountAdministrationService,
  type AccountSpec,
} from '../../../../src/domain/services/account-administration-service.ts';
import type { SignerTable } from '../../../../src/ports/signer.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { NOTHING, RecordingCredentialEditor } from '../../../doubles/recording-credential-editor.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { rejectionOf } from './outcome-expectations.ts';
import { SIGNERS } from './signing-workbench.ts';

const LISTING = {
  ...NOTHING,
  platforms: [
    samplePlatform({ algorithms: ['ed25519'] }),
    samplePlatform({ platformId: 'both', algorithms: ['ed25519', 'eip191'] }),
  ],
};

function setUp(editor = new RecordingCredentialEditor(samplePrivateKey(1), LISTING), signers: SignerTable = SIGNERS) {
  const keyStore = new TrackingKeyStore();
  const loadSigner = async (algorithm: keyof SignerTable) => signers[algorithm];
  const clock = new FixedClock();
  const service = new AccountAdministrationService({ editor, keyStore, loadSigner, clock, hasher: new NodeHasher() });
  return { editor, keyStore, service };
}

const SPEC: AccountSpec = { platformId: 'alpha', accountId: 'main', origin: { kind: 'generate' } };

describe('AccountAdministrationService', () => {
  it('rejects a key that is invalid for its algorithm or does not work', async () => {
    const misprinting = alteredSigner(SIGNERS.ed25519, { sign: () => 'no signature' });
    for (const { editor, keyStore, service } of [
      setUp(new RecordingCredentialEditor(new Uint8Array(32), LISTING)),
      setUp(undefined, { ...SIGNERS, eip191: misprinting }),
    ]) {
      const error = await rejectionOf(service.addAccount({ ...SPEC, algorithm: 'eip191' }));
      expect(error).to.be.instanceOf(InvalidPrivateKeyError);
      expect(editor.edits).to.deep.equal([]);
      expect(keyStore.held.size).to.equal(0);
    }
  });

  it('reports missing algorithms and unknown platforms together, changing nothing', async () => {
    const { editor, service } = setUp();
    const specs = [{ ...SPEC, platformId: 'both' }, SPEC, { ...SPEC, platformId: 'omega' }, SPEC];
    expect(await service.addAccounts(specs, { dryRun: false, skipExisting: true })).to.deep.equal({
      outcome: 'refused',
      issues: [
        { index: 0, field: 'algorithm', message: 'is required, because the platform allows ed25519, eip191' },
        {
          index: 2,
          field: 'platformId',
          message: 'is not a configured platform; add it first with `signing-service platform add`',
        },
      ],
    });
    expect(editor.edits).to.deep.equal([]);
  });
});
