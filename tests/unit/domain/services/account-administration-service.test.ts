import bs58 from 'bs58';
import { expect } from 'chai';
import { computeAddress } from 'ethers';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import type { Algorithm } from '../../../../src/domain/model/algorithm.ts';
import { EditRefusedError, InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import { AccountAdministrationService } from '../../../../src/domain/services/account-administration-service.ts';
import type { AdditionOutcome } from '../../../../src/ports/credential-editor.ts';
import type { SignerTable } from '../../../../src/ports/signer.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { NOTHING, RecordingCredentialEditor } from '../../../doubles/recording-credential-editor.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { EIP_191_VECTORS } from '../../../vectors/eip-191.ts';
import { RFC_8032_VECTORS } from '../../../vectors/rfc-8032.ts';
import { rejectionOf } from './outcome-expectations.ts';
import { loadSigner, SIGNERS } from './signing-workbench.ts';

function setUp(privateKey: Uint8Array = samplePrivateKey(1), signers: SignerTable = SIGNERS, listing = NOTHING) {
  const editor = new RecordingCredentialEditor(privateKey, listing);
  const keyStore = new TrackingKeyStore();
  return {
    editor,
    keyStore,
    service: new AccountAdministrationService(
      editor,
      keyStore,
      async (algorithm) => signers[algorithm],
      new FixedClock(),
      new NodeHasher(),
    ),
  };
}

const SPEC = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519', origin: { kind: 'generate' } } as const;

describe('AccountAdministrationService', () => {
  it('returns the location of the configuration', () => {
    expect(setUp().service.location).to.equal('recorded-credentials');
  });

  it('lists the configuration as the editor reads it, with the addresses and key ids of accounts', async () => {
    const { privateKey: _, ...account } = sampleCredential();
    const unloaded = { ...account, accountId: 'hot', algorithm: 'eip191' } as const;
    const listing = { ...NOTHING, platforms: [samplePlatform()], accounts: [account, unloaded] };
    const { service } = setUp(samplePrivateKey(1), SIGNERS, listing);
    expect(await service.list()).to.deep.equal({
      ...listing,
      accounts: [
        { ...account, keyId: null },
        { ...unloaded, keyId: null, address: null },
      ],
    });
  });

  describe('an account', () => {
    it('defaults to active, production, its id as alias and the current time', async () => {
      const { editor, service } = setUp();
      const profile = await service.addAccount(SPEC);
      const draft = {
        platformId: 'alpha',
        accountId: 'main',
        alias: 'main',
        status: 'active',
        environment: 'production',
        algorithm: 'ed25519',
        createdAt: '2026-11-20T08:49:00.000Z',
      };
      expect(editor.edits).to.deep.equal([
        { edit: 'addAccount', draft, origin: { kind: 'generate' }, lengths: { min: 32, max: 32 } },
      ]);
      // printf %s "$publicKey" | sha256sum
      expect(profile).to.deep.equal({ ...draft, publicKey: profile.publicKey, keyId: '18fd9af811c1026e' });
    });

    it('keeps the values given by the operator', async () => {
      const { editor, service } = setUp();
      const origin = { kind: 'file', file: 'wallet.json', format: 'keystore', passwordFile: 'password' } as const;
      const profile = await service.addAccount({ ...SPEC, alias: 'Desk 7', environment: 'staging', origin });
      expect(profile).to.deep.include({ alias: 'Desk 7', environment: 'staging' });
      expect(editor.edits[0]).to.deep.include({ origin });
    });

    it('keeps its fixed values', async () => {
      const { editor, service } = setUp();
      const profile = await service.addAccount({ ...SPEC, values: { apiKey: 'K1' } });
      expect(profile.values).to.deep.equal({ apiKey: 'K1' });
      expect(editor.edits[0]).to.have.nested.property('draft.values.apiKey', 'K1');
    });

    it('gets the only algorithm of its platform if the operator names none', async () => {
      const { algorithm: _, ...spec } = SPEC;
      const of = (...algorithms: readonly Algorithm[]) => {
        const listing = { ...NOTHING, platforms: [samplePlatform({ platformId: 'alpha', algorithms })] };
        const editor = new RecordingCredentialEditor(samplePrivateKey(1), listing);
        return new AccountAdministrationService(
          editor,
          new TrackingKeyStore(),
          loadSigner,
          new FixedClock(),
          new NodeHasher(),
        );
      };
      expect((await of('eip191').addAccount(spec)).algorithm).to.equal('eip191');
      const several = await rejectionOf(of('ed25519', 'hmac-sha256').addAccount(spec));
      expect(several).to.be.instanceOf(EditRefusedError);
      expect(String(several)).to.include('"alpha" allows ed25519, hmac-sha256; select one with --algorithm.');
      const unknown = await rejectionOf(of('ed25519').addAccount({ ...spec, platformId: 'beta' }));
      expect(unknown).to.be.instanceOf(EditRefusedError);
      expect(String(unknown)).to.include('Platform "beta" does not exist. Add it first');
    });

    it('gets the public key of its private key, as published', async () => {
      for (const { seed, publicKey } of RFC_8032_VECTORS) {
        const profile = await setUp(Buffer.from(seed, 'hex')).service.addAccount(SPEC);
        expect(Buffer.from(bs58.decode(profile.publicKey)).toString('hex')).to.equal(publicKey);
      }
      for (const { privateKey, address } of EIP_191_VECTORS) {
        const { service } = setUp(Buffer.from(privateKey.slice(2), 'hex'));
        const profile = await service.addAccount({ ...SPEC, algorithm: 'eip191' });
        expect(computeAddress(profile.publicKey)).to.equal(address);
      }
    });

    it('leaves no key in the key store', async () => {
      const { keyStore, service } = setUp();
      await service.addAccount(SPEC);
      expect(keyStore.calls[0]).to.deep.equal({
        call: 'create',
        identity: { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' },
      });
      expect(keyStore.held.size).to.equal(0);
    });

    it('is rejected with a key that is invalid for its algorithm or does not work', async () => {
      const misprinting = alteredSigner(SIGNERS.ed25519, { sign: () => 'no signature' });
      const benches = [
        setUp(new Uint8Array(32), SIGNERS),
        setUp(samplePrivateKey(1), { ...SIGNERS, eip191: misprinting }),
      ];
      for (const { editor, keyStore, service } of benches) {
        const error = await rejectionOf(service.addAccount({ ...SPEC, algorithm: 'eip191' }));
        expect(error).to.be.instanceOf(InvalidPrivateKeyError);
        expect(editor.edits).to.deep.equal([]);
        expect(keyStore.held.size).to.equal(0);
      }
    });
  });

  it('sets the status of accounts', async () => {
    const { editor, service } = setUp();
    await service.setStatus('alpha', 'main', 'disabled');
    await service.setStatus('alpha', 'main', 'active', 'same-key');
    expect(editor.edits).to.deep.equal([
      { edit: 'setStatus', platformId: 'alpha', accountId: 'main', status: 'disabled', reach: 'account' },
      { edit: 'setStatus', platformId: 'alpha', accountId: 'main', status: 'active', reach: 'same-key' },
    ]);
  });

  describe('many accounts at once', () => {
    const options = { dryRun: false, skipExisting: true } as const;
    const listing = {
      ...NOTHING,
      platforms: [
        { ...samplePlatform(), algorithms: ['ed25519'] as const },
        { ...samplePlatform(), platformId: 'both', algorithms: ['ed25519', 'eip191'] as const },
      ],
    };

    function administrationOf(editor: RecordingCredentialEditor) {
      return new AccountAdministrationService(
        editor,
        new TrackingKeyStore(),
        loadSigner,
        new FixedClock(),
        new NodeHasher(),
      );
    }

    it('adds all in one edit, with the defaults and the only algorithm of the platform', async () => {
      const editor = new RecordingCredentialEditor(samplePrivateKey(1), listing);
      const { algorithm: _, ...unnamed } = SPEC;
      const specs = [
        unnamed,
        { ...SPEC, accountId: 'other', alias: 'Other', environment: 'test', status: 'disabled' } as const,
      ];
      const outcome = await administrationOf(editor).addAccounts(specs, options);
      const [edit, ...more] = editor.edits;
      if (edit?.edit !== 'addAccounts') throw new Error('No accounts were added.');
      expect(more).to.deep.equal([]);
      expect(edit.options).to.deep.equal(options);
      const common = {
        platformId: 'alpha',
        algorithm: 'ed25519',
        createdAt: new Date(new FixedClock().now()).toISOString(),
      };
      expect(edit.additions.map(({ draft }) => draft)).to.deep.equal([
        { ...common, accountId: 'main', alias: 'main', environment: 'production', status: 'active' },
        { ...common, accountId: 'other', alias: 'Other', environment: 'test', status: 'disabled' },
      ]);
      expect(outcome.outcome).to.equal('added');
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
      const editor = new FindingEditor(samplePrivateKey(1), listing);
      const { algorithm: _, ...unnamed } = SPEC;
      const specs = [
        { ...unnamed, platformId: 'both' },
        SPEC,
        { ...unnamed, platformId: 'omega' },
        { ...SPEC, accountId: 'other' },
      ];
      const outcome = await administrationOf(editor).addAccounts(specs, options);
      expect(outcome).to.deep.equal({
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

    it('discards every tested key', async () => {
      const editor = new RecordingCredentialEditor(samplePrivateKey(1), listing);
      const keyStore = new TrackingKeyStore();
      const service = new AccountAdministrationService(
        editor,
        keyStore,
        loadSigner,
        new FixedClock(),
        new NodeHasher(),
      );
      await service.addAccounts([SPEC, { ...SPEC, accountId: 'other' }], options);
      expect(keyStore.held.size).to.equal(0);
    });
  });

  it('removes an account', async () => {
    const { editor, service } = setUp();
    await service.removeAccount('alpha', 'main');
    expect(editor.edits).to.deep.equal([{ edit: 'removeAccount', platformId: 'alpha', accountId: 'main' }]);
  });

  it('passes on refusals of the editor', async () => {
    const refusal = new EditRefusedError('There is one of that name.');
    class RefusingEditor extends RecordingCredentialEditor {
      override async addAccount(): Promise<never> {
        throw refusal;
      }
      override async setStatus(): Promise<never> {
        throw refusal;
      }
    }
    const editor = new RefusingEditor(samplePrivateKey(1));
    const service = new AccountAdministrationService(
      editor,
      new TrackingKeyStore(),
      loadSigner,
      new FixedClock(),
      new NodeHasher(),
    );
    expect(await rejectionOf(service.addAccount(SPEC))).to.equal(refusal);
    expect(await rejectionOf(service.setStatus('alpha', 'main', 'active'))).to.equal(refusal);
  });
});
