import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import {
  AccountAdministrationService,
  type AccountSpec,
} from '../../../../src/domain/services/account-administration-service.ts';
import type { AdditionOutcome } from '../../../../src/ports/credential-editor.ts';
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
  const service = new AccountAdministrationService(editor, keyStore, loadSigner, clock, new NodeHasher());
  return { editor, keyStore, service };
}

const SPEC: AccountSpec = { platformId: 'alpha', accountId: 'main', origin: { kind: 'generate' } };
const GIVEN = { alias: 'Desk 7', environment: 'test', status: 'disabled', values: { apiKey: 'K1' } } as const;

/** What the editor gets for {@link SPEC}. */
const DRAFT = {
  platformId: 'alpha',
  accountId: 'main',
  alias: 'main',
  status: 'active',
  environment: 'production',
  algorithm: 'ed25519',
  createdAt: '2026-11-20T08:49:00.000Z',
};

describe('AccountAdministrationService', () => {
  const options = { dryRun: false, skipExisting: true } as const;

  it('adds an account as given, else active, for production, with the only algorithm of its platform', async () => {
    const { editor, keyStore, service } = setUp();
    const profile = await service.addAccount(SPEC);
    await service.addAccount({ ...SPEC, ...GIVEN });
    expect(editor.edits.map((edit) => edit.edit === 'addAccount' && edit.draft)).to.deep.equal([
      DRAFT,
      { ...DRAFT, ...GIVEN },
    ]);
    // printf %s "$publicKey" | sha256sum
    expect(profile.keyId).to.equal('18fd9af811c1026e');
    expect(keyStore.calls[0]).to.deep.equal({
      call: 'create',
      identity: { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' },
    });
    expect(keyStore.held.size).to.equal(0);
  });

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

  it('adds many accounts in one edit, and keeps no key', async () => {
    const { editor, keyStore, service } = setUp();
    const outcome = await service.addAccounts([SPEC, { ...SPEC, accountId: 'other', ...GIVEN }], options);
    expect(outcome.outcome).to.equal('added');
    const [edit = expect.fail()] = editor.edits;
    expect(editor.edits).to.have.length(1);
    expect(edit.edit === 'addAccounts' && edit.options).to.deep.equal(options);
    expect(edit.edit === 'addAccounts' && edit.additions.map(({ draft }) => draft)).to.deep.equal([
      DRAFT,
      { ...DRAFT, accountId: 'other', ...GIVEN },
    ]);
    expect(keyStore.held.size).to.equal(0);
  });

  it('reports missing algorithms, unknown platforms and editor issues together, changing nothing', async () => {
    class FindingEditor extends RecordingCredentialEditor {
      override async addAccounts(
        ...requested: Parameters<RecordingCredentialEditor['addAccounts']>
      ): Promise<AdditionOutcome> {
        await super.addAccounts(...requested);
        return { outcome: 'refused', issues: [{ index: 1, field: 'file', message: 'is so' }] };
      }
    }
    const { editor, service } = setUp(new FindingEditor(samplePrivateKey(1), LISTING));
    const specs = [{ ...SPEC, platformId: 'both' }, SPEC, { ...SPEC, platformId: 'omega' }, SPEC];
    expect(await service.addAccounts(specs, options)).to.deep.equal({
      outcome: 'refused',
      issues: [
        { index: 0, field: 'algorithm', message: 'is required, because the platform allows ed25519, eip191' },
        {
          index: 2,
          field: 'platformId',
          message: 'is not a configured platform; add it first with `signing-service platform add`',
        },
        { index: 3, field: 'file', message: 'is so' },
      ],
    });
    expect(editor.edits).to.have.lengthOf(1);
    expect(editor.edits[0]).to.deep.include({ options: { dryRun: true, skipExisting: true } });
  });
});
