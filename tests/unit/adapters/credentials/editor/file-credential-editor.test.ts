import { chmodSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import { getMasterKeyId } from '../../../../../src/adapters/credentials/schema/sealed-key-text.ts';
import { CredentialLoadError, EditRefusedError } from '../../../../../src/domain/model/errors.ts';
import type { AccountAddition, AccountDraft, AdditionOptions } from '../../../../../src/ports/credential-editor.ts';
import { describeCredentialEditorContract } from '../../../../contracts/credential-editor-contract.ts';
import { allAccounts } from '../../../../doubles/all-accounts.ts';
import { LENGTH_32 } from '../../../../doubles/credential-builder.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import {
  CredentialsWorkplace,
  createMasterKeyFile,
  createWrappedKeyFile,
  rejection,
  useWorkplace,
} from '../credentials-workplace.ts';
import { loadKeys } from '../sealed-accounts.ts';

const EMPTY = { version: 1, platforms: [], accounts: [] };
const PLATFORM = { platformId: 'alpha', format: 'A' };
const DRAFT: AccountDraft = {
  platformId: 'alpha',
  accountId: 'main',
  alias: 'main',
  status: 'active',
  environment: 'production',
  algorithm: 'ed25519',
  createdAt: '2026-11-20T00:00:00.000Z',
};

describeCredentialEditorContract('FileCredentialEditor', async () => {
  const workplace = new CredentialsWorkplace();
  workplace.write(EMPTY);
  return {
    makeEditor: () => workplace.editor(),
    writeKeyFile: async (content, name = 'imported.key') => {
      const file = workplace.path(name);
      writeFileSync(file, content);
      return file;
    },
    loadKey: async (platformId, accountId, lengths) => {
      const set = await workplace.source().load();
      const account = (await allAccounts(set)).find(
        (each) => each.platformId === platformId && each.accountId === accountId,
      );
      const key = await account?.withPrivateKey(lengths, (privateKey) => Buffer.from(privateKey));
      set.close();
      if (key === undefined) throw new Error('There is no such account.');
      return key;
    },
    permit: async (permissions) => workplace.write({ ...JSON.parse(workplace.text()), permissions }),
    restrict: async (policies) => workplace.write({ ...JSON.parse(workplace.text()), policies }),
    spoil: async () => workplace.write({ ...EMPTY, platforms: [{ platformId: 'alpha' }] }),
    dispose: async () => workplace.remove(),
  };
});

describe('FileCredentialEditor', () => {
  const workplace = useWorkplace();
  async function listedIds(): Promise<readonly string[]> {
    return (await workplace().editor().list()).accounts.map(({ accountId }) => accountId);
  }

  const add = (draft: AccountDraft = DRAFT) =>
    workplace()
      .editor()
      .addAccount(draft, { kind: 'generate' }, LENGTH_32, () => 'PublicKey');

  it('writes indented JSON with a final newline, keeps mode 600 and orders fields as documented', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    chmodSync(workplace().file, 0o600);
    await add();
    const text = workplace().text();
    expect(text).to.equal(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    expect(statSync(workplace().file).mode & 0o7777).to.equal(0o600);
    expect(Object.keys(JSON.parse(text).accounts[0])).to.deep.equal([
      'platformId',
      'accountId',
      'alias',
      'status',
      'environment',
      'algorithm',
      'publicKey',
      'createdAt',
      'key',
    ]);
  });

  it('keeps order and fields of unchanged entries, without adding defaults', async () => {
    const before = {
      $schema: './credentials.schema.json',
      accounts: [
        { key: { plaintext: 'not looked at' }, algorithm: 'ed25519', accountId: 'z', platformId: 'zeta' },
        {
          platformId: 'alpha',
          accountId: 'a',
          algorithm: 'ed25519',
          createdAt: '2020-01-01T00:00:00Z',
          key: { file: 'x' },
        },
      ],
      version: 1,
      platforms: [{ audit: { clear: ['b', 'a.c'] }, format: 'any', platformId: 'zeta' }, PLATFORM],
    };
    workplace().write(before);
    await add();
    await workplace().editor().setStatus('alpha', 'a', 'disabled');
    await workplace()
      .editor()
      .addPlatform({
        platformId: 'new',
        format: 'any',
        algorithms: ['ed25519'],
        payload: { rule: 'raw' },
        audit: { clear: ['text'] },
      });

    const after = JSON.parse(workplace().text());
    const [, , added] = after.accounts;
    const expected = {
      ...before,
      accounts: [before.accounts[0], { ...before.accounts[1], status: 'disabled' }, added],
      platforms: [
        ...before.platforms,
        {
          platformId: 'new',
          format: 'any',
          algorithms: ['ed25519'],
          payload: { rule: 'raw' },
          audit: { clear: ['text'] },
        },
      ],
    };
    expect(JSON.stringify(after)).to.equal(JSON.stringify(expected));
  });

  it('writes the status of a disabled platform, and none of an active one', async () => {
    const zeta = { status: 'active', format: 'any', platformId: 'zeta' };
    const before = { ...EMPTY, platforms: [zeta, PLATFORM] };
    workplace().write(before);
    await workplace().editor().setPlatformStatus('alpha', 'disabled');
    const disabled = { ...before, platforms: [zeta, { ...PLATFORM, status: 'disabled' }] };
    expect(workplace().text()).to.equal(`${JSON.stringify(disabled, null, 2)}\n`);
    await workplace().editor().setPlatformStatus('alpha', 'active');
    expect(workplace().text()).to.equal(`${JSON.stringify(before, null, 2)}\n`);
    await workplace().editor().setPlatformStatus('zeta', 'disabled');
    const { platforms } = JSON.parse(workplace().text());
    expect(JSON.stringify(platforms[0])).to.equal(JSON.stringify({ ...zeta, status: 'disabled' }));
  });

  it('seals the key under the master key and writes it nowhere in clear', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const seen: string[] = [];
    await workplace()
      .editor()
      .addAccount(DRAFT, { kind: 'generate' }, LENGTH_32, (privateKey) => {
        seen.push(Buffer.from(privateKey).toString('hex'), Buffer.from(privateKey).toString('base64url'));
        return 'PublicKey';
      });
    expect(seen).to.have.lengthOf(2);
    expect(JSON.parse(workplace().text()).accounts[0].key.sealed).to.match(/^v1\./);
    for (const key of seen) expect(workplace().text()).to.not.include(key.slice(0, 12));
  });

  it('reads an ed25519 seed with its public key, but not 64 bytes for eip191', async () => {
    const pair = `${'9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'}${'d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'}`;
    const file = workplace().path('pair.hex');
    writeFileSync(file, pair);
    workplace().write({ ...EMPTY, platforms: [{ platformId: 'alpha', format: 'any' }] });
    const origin = { kind: 'file', file, format: 'hex' } as const;
    const first = (key: Uint8Array) => `first-byte-${key[0]}-of-${key.length}`;
    expect((await workplace().editor().addAccount(DRAFT, origin, LENGTH_32, first)).publicKey).to.equal(
      'first-byte-157-of-32',
    );
    const eip191 = { ...DRAFT, accountId: 'b', algorithm: 'eip191' } as const;
    const error = await rejection(workplace().editor().addAccount(eip191, origin, LENGTH_32, first));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include(file).and.not.include(pair.slice(0, 8));
  });

  it('refuses a master key other than the one of the keys in the file, naming both', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    await add();
    const before = workplace().text();
    const [old] = /[0-9a-f]{16}/.exec(JSON.parse(before).accounts[0].key.sealed) ?? [];
    rmSync(workplace().masterKeyFile);
    createMasterKeyFile(workplace().masterKeyFile);
    const error = await rejection(add({ ...DRAFT, accountId: 'second' }));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include(workplace().masterKeyFile).and.include(String(old));
    expect(workplace().text()).to.equal(before);
  });

  it('seals under the primary master key while keys under the previous one exist', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    await add();
    renameSync(workplace().masterKeyFile, workplace().previousMasterKeyFile);
    createMasterKeyFile(workplace().masterKeyFile);
    await add({ ...DRAFT, accountId: 'second' });
    const [first, second] = JSON.parse(workplace().text()).accounts;
    expect(getMasterKeyId(second.key.sealed)).to.equal(workplace().keeper().primaryId());
    expect(getMasterKeyId(second.key.sealed)).to.not.equal(getMasterKeyId(first.key.sealed));
    expect(await loadKeys(workplace().source())).to.have.lengthOf(2);
  });

  it('reseals when the master key is replaced before writing', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    let calls = 0;
    const profile = await workplace()
      .editor()
      .addAccount(DRAFT, { kind: 'generate' }, LENGTH_32, () => {
        calls += 1;
        if (calls === 1) {
          rmSync(workplace().masterKeyFile);
          createMasterKeyFile(workplace().masterKeyFile);
        }
        return `PublicKey${calls}`;
      });
    expect(profile.publicKey).to.equal('PublicKey2');
    const [account] = JSON.parse(workplace().text()).accounts;
    expect(getMasterKeyId(account.key.sealed)).to.equal(workplace().keeper().primaryId());
    expect(await loadKeys(workplace().source())).to.have.lengthOf(1);
  });

  it("reads an HMAC secret again when the platform's secretDecoding changed meanwhile", async () => {
    const platform = { platformId: 'alpha', format: 'any', algorithms: ['hmac-sha256'] };
    workplace().write({ ...EMPTY, platforms: [platform] });
    const file = workplace().path('secret');
    writeFileSync(file, '00ff');
    const lengths: number[] = [];
    await workplace()
      .editor()
      .addAccount({ ...DRAFT, algorithm: 'hmac-sha256' }, { kind: 'file', file }, { min: 1, max: 1024 }, (secret) => {
        workplace().write({ ...EMPTY, platforms: [{ ...platform, secretDecoding: 'hex' }] });
        lengths.push(secret.length);
        return 'hmac:0123456789abcdef';
      });
    expect(lengths).to.deep.equal([4, 2]);
  });

  it('refuses to generate an HMAC secret, without prompting for the master key passphrase', async () => {
    workplace().write({ ...EMPTY, platforms: [{ platformId: 'alpha', format: 'any' }] });
    rmSync(workplace().masterKeyFile);
    createWrappedKeyFile(workplace().masterKeyFile, 'correct horse battery');
    const prompt = new TypedPassphrases('correct horse battery');
    const addition = workplace()
      .editor(workplace().keeper(prompt))
      .addAccount(
        { ...DRAFT, algorithm: 'hmac-sha512' },
        { kind: 'generate' },
        { min: 1, max: 1024 },
        () => 'unreached',
      );
    const error = await rejection(addition);
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include('--key-file');
    expect(prompt.questions).to.deep.equal([]);
  });

  it('prompts for the master key passphrase once per added account', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    rmSync(workplace().masterKeyFile);
    createWrappedKeyFile(workplace().masterKeyFile, 'correct horse battery');
    const prompt = new TypedPassphrases('correct horse battery');
    const masterKeys = workplace().keeper(prompt);
    await workplace()
      .editor(masterKeys)
      .addAccount(DRAFT, { kind: 'generate' }, LENGTH_32, () => 'PublicKey');
    masterKeys.close();
    expect(prompt.questions).to.have.lengthOf(1);
    const error = await rejection(add({ ...DRAFT, accountId: 'second' }));
    expect(error).to.be.instanceOf(CredentialLoadError);
    expect(error.message).to.include('Nobody is here');
    expect(await listedIds()).to.deep.equal(['main']);
  });

  it('names a working remedy for an algorithm that the platform does not allow', async () => {
    const platforms = [{ platformId: 'other', format: 'any' }, PLATFORM];
    workplace().write({ ...EMPTY, platforms });
    const before = workplace().text();
    const error = await rejection(add({ ...DRAFT, algorithm: 'eip191' }));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.equal(
      'Platform "alpha" does not allow eip191; its algorithms are ed25519. Nothing was changed. ' +
        'Use another platform, or set platforms[1].algorithms in the credentials file to ["ed25519","eip191"].',
    );
    expect(workplace().text()).to.equal(before);

    workplace().write({ ...EMPTY, platforms: [platforms[0], { ...PLATFORM, algorithms: ['ed25519', 'eip191'] }] });
    await add({ ...DRAFT, algorithm: 'eip191' });
    expect(await listedIds()).to.deep.equal(['main']);
  });

  it('refuses only Ethereum accounts if the encoding is hex', async () => {
    workplace().write({ ...EMPTY, platforms: [{ platformId: 'alpha', format: 'any', encoding: 'hex' }] });
    const error = await rejection(add({ ...DRAFT, algorithm: 'eip191' }));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.equal(
      'Nothing was changed: signatures of eip191 have a 0x prefix, which the encoding hex lacks; ' +
        'write "encoding": "0x-hex" for platform alpha, or omit encoding in the credentials file.',
    );
    await add();
    expect(await listedIds()).to.deep.equal(['main']);
  });

  it('finds accounts with the same key by public key and by file, and names those not comparable', async () => {
    const { folder } = workplace();
    const account = (accountId: string, key: object, publicKey?: string) => ({
      ...{ platformId: 'alpha', accountId, algorithm: 'ed25519', key },
      ...(publicKey === undefined ? {} : { publicKey }),
    });
    const accounts = [
      account('main', { file: 'hot.key' }, 'PublicKey1'),
      account('same-file', { file: `${folder}/sub/../hot.key`, format: 'raw' }),
      account('same-public-key', { file: 'copy.key' }, 'PublicKey1'),
      account('other', { file: 'other.key' }, 'PublicKey2'),
      account('unknown', { file: 'unknown.key' }),
      account('plain', { plaintext: '11'.repeat(32) }),
    ];
    workplace().write({ ...EMPTY, platforms: [PLATFORM], accounts });
    const editor = workplace().editor();
    const of = async (accountId: string) => {
      const { sameKey, uncompared } = await editor.setStatus('alpha', accountId, 'disabled');
      return { sameKey: sameKey.map((one) => one.accountId), uncompared: uncompared.map((one) => one.accountId) };
    };
    expect(await of('main')).to.deep.equal({
      sameKey: ['same-file', 'same-public-key'],
      uncompared: ['unknown', 'plain'],
    });
    expect(await of('same-file')).to.deep.equal({
      sameKey: ['main', 'same-public-key'],
      uncompared: ['unknown', 'plain'],
    });
    expect(await of('other')).to.deep.equal({ sameKey: [], uncompared: ['same-file', 'unknown', 'plain'] });
    expect(await of('plain')).to.deep.equal({
      sameKey: [],
      uncompared: ['main', 'same-file', 'same-public-key', 'other', 'unknown'],
    });
  });

  it('disables accounts that share the key only through others, including disabled ones', async () => {
    const account = (accountId: string, file: string, publicKey?: string, status = 'active') => ({
      ...{ platformId: 'alpha', accountId, algorithm: 'ed25519', status, key: { file } },
      ...(publicKey === undefined ? {} : { publicKey }),
    });
    const accounts = [
      account('end', 'copy-2.key'),
      account('link', 'copy-2.key', 'PublicKey1', 'disabled'),
      account('named', 'copy-1.key', 'PublicKey1', 'disabled'),
      account('start', 'copy-1.key'),
      account('other', 'other.key', 'PublicKey2'),
    ];
    workplace().write({ ...EMPTY, platforms: [PLATFORM], accounts });
    const change = await workplace().editor().setStatus('alpha', 'start', 'disabled', 'same-key');
    expect(change.sameKey.map(({ accountId, status }) => `${accountId} ${status}`)).to.deep.equal([
      'end disabled',
      'link disabled',
      'named disabled',
    ]);
    expect(change.uncompared).to.deep.equal([]);
    const { accounts: listed } = await workplace().editor().list();
    expect(listed.filter(({ status }) => status === 'active').map(({ accountId }) => accountId)).to.deep.equal([
      'other',
    ]);
  });

  it('disables accounts with the same key that are sealed under different master keys', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM, { ...PLATFORM, platformId: 'beta' }] });
    await add();
    renameSync(workplace().masterKeyFile, workplace().previousMasterKeyFile);
    createMasterKeyFile(workplace().masterKeyFile);
    await add({ ...DRAFT, platformId: 'beta', accountId: 'copy' });
    const [first, second] = JSON.parse(workplace().text()).accounts;
    expect(getMasterKeyId(first.key.sealed)).to.not.equal(getMasterKeyId(second.key.sealed));
    rmSync(workplace().masterKeyFile);
    rmSync(workplace().previousMasterKeyFile);
    await workplace().editor().setStatus('alpha', 'main', 'disabled', 'same-key');
    const { accounts } = await workplace().editor().list();
    expect(accounts.map(({ status }) => status)).to.deep.equal(['disabled', 'disabled']);
  });

  it('names HMAC accounts of the other algorithm, whose key ids differ, only with same-key', async () => {
    const account = (accountId: string, algorithm: string, publicKey: string) => ({
      ...{ platformId: 'alpha', accountId, algorithm, publicKey, key: { file: `${accountId}.key` } },
    });
    const accounts = [
      account('one', 'hmac-sha256', 'hmac:0000000000000001'),
      account('two', 'hmac-sha256', 'hmac:0000000000000002'),
      account('other', 'hmac-sha512', 'hmac:0000000000000003'),
      account('pair', 'ed25519', 'PublicKey1'),
    ];
    workplace().write({ ...EMPTY, platforms: [{ platformId: 'alpha', format: 'any' }], accounts });
    const editor = workplace().editor();
    const other = { platformId: 'alpha', accountId: 'other', reason: 'other-hmac' };
    expect((await editor.setStatus('alpha', 'one', 'disabled')).uncompared).to.deep.equal([]);
    for (const [accountId, uncompared] of [
      ['one', [other]],
      ['pair', []],
    ] as const) {
      const change = await editor.setStatus('alpha', accountId, 'disabled', 'same-key');
      expect(change).to.deep.equal({ sameKey: [], uncompared });
    }
    // The same file shows that two algorithms use one secret.
    const linked = { ...account('link', 'hmac-sha512', 'hmac:0000000000000004'), key: { file: 'one.key' } };
    workplace().write({ ...JSON.parse(workplace().text()), accounts: [...accounts, linked] });
    const { sameKey, uncompared } = await editor.setStatus('alpha', 'one', 'disabled', 'same-key');
    expect(sameKey.map(({ accountId }) => accountId)).to.deep.equal(['link']);
    expect(uncompared).to.deep.equal([]);
  });

  it('rejects a missing credentials file or master key with CredentialLoadError and remedy', async () => {
    for (const call of [
      () => add(),
      () => workplace().editor().list(),
      () => workplace().editor().setStatus('a', 'b', 'active'),
    ]) {
      const error = await rejection(call());
      expect(error).to.be.instanceOf(CredentialLoadError);
      expect(error.message).to.include('run `signing-service init`');
    }
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    rmSync(workplace().masterKeyFile);
    const error = await rejection(add());
    expect(error).to.be.instanceOf(CredentialLoadError);
    expect(error.message).to.include(workplace().masterKeyFile).and.include('run `signing-service init`');
  });

  for (const [name, content] of [
    ['that is no JSON', '{"version": 1,'],
    ['with an unknown field', JSON.stringify({ ...EMPTY, note: 'mine' })],
    ['with a field that stands twice', '{"version":1,"platforms":[],"accounts":[],"platforms":[]}'],
    ['of another version', JSON.stringify({ ...EMPTY, version: 2 })],
  ] as const) {
    it(`leaves a file ${name} untouched`, async () => {
      workplace().write(content);
      const platform = { platformId: 'beta', format: 'A', algorithms: ['ed25519'], payload: { rule: 'jcs' } } as const;
      expect(await rejection(workplace().editor().addPlatform(platform))).to.be.instanceOf(CredentialLoadError);
      expect(workplace().text()).to.equal(content);
    });
  }

  it('edits the file behind a symbolic link and keeps the link', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const link = workplace().path('link.json');
    symlinkSync(workplace().file, link);
    const editor = workplace().editor(workplace().keeper(), link);
    await editor.addAccount(DRAFT, { kind: 'generate' }, LENGTH_32, () => 'PublicKey');
    expect(await listedIds()).to.deep.equal(['main']);
    expect(readFileSync(link, 'utf8')).to.equal(workplace().text());
  });

  it('does not overwrite a concurrent change between reading and writing', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const byHand = JSON.stringify({ ...EMPTY, platforms: [PLATFORM, { platformId: 'by-hand', format: 'B' }] });
    const { open } = fs;
    fs.open = async (path, ...rest) => {
      if (String(path).endsWith('.tmp')) workplace().write(byHand);
      return open(path, ...rest);
    };
    syncBuiltinESMExports();
    try {
      const error = await rejection(add());
      expect(error).to.be.instanceOf(EditRefusedError);
      expect(error.message).to.include('was changed by another process').and.include('Run the command again');
      expect(workplace().text()).to.equal(byHand);
    } finally {
      fs.open = open;
      syncBuiltinESMExports();
    }
  });

  describe('adding many accounts', () => {
    const wanted: readonly AccountAddition[] = ['one', 'two'].map((accountId) => ({
      draft: { ...DRAFT, accountId },
      origin: { kind: 'generate' },
      lengths: LENGTH_32,
      derivePublicKey: () => 'PublicKey',
    }));
    const addMany = (options: Partial<AdditionOptions> = {}) =>
      workplace()
        .editor()
        .addAccounts(wanted, { dryRun: false, skipExisting: false, ...options });

    /** As a concurrent rotation does. */
    function replaceMasterKey(): void {
      renameSync(workplace().masterKeyFile, workplace().previousMasterKeyFile);
      createMasterKeyFile(workplace().masterKeyFile);
    }

    /** Once, after sealing and before writing. */
    function beforeWriting(act: () => void): NonNullable<AdditionOptions['onProgress']> {
      let hasActed = false;
      return (done, total) => {
        if (done < total || hasActed) return;
        hasActed = true;
        act();
      };
    }

    /** Sealed under an unavailable master key. */
    function foreignContent(): object {
      const account = { ...DRAFT, accountId: 'foreign', publicKey: 'PublicKey' };
      const key = { sealed: workplace().seal(account, Buffer.alloc(32, 1)) };
      return { ...EMPTY, platforms: [PLATFORM], accounts: [{ ...account, key }] };
    }

    it('reseals them when the master key is rotated before writing', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      const { outcome } = await addMany({ onProgress: beforeWriting(replaceMasterKey) });
      expect(outcome).to.equal('added');
      rmSync(workplace().previousMasterKeyFile);
      expect(new Set(await loadKeys(workplace().source())).size).to.equal(2);
    });

    it('is refused, even in a dry run, if no master key opens an existing or newly written account', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      const foreign = JSON.stringify(foreignContent());
      rmSync(workplace().masterKeyFile);
      createMasterKeyFile(workplace().masterKeyFile);
      const onProgress = beforeWriting(() => workplace().write(foreign));
      for (const options of [{ onProgress }, {}, { dryRun: true }]) {
        const error = await rejection(addMany(options));
        expect(error).to.be.instanceOf(EditRefusedError);
        expect(error.message).to.match(/^Account "foreign" .* is sealed under master key /);
        expect(workplace().text()).to.equal(foreign);
      }
    });
  });
});
