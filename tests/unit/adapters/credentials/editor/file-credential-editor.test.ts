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
import { CredentialsWorkplace, createMasterKeyFile, rejection, useWorkplace } from '../credentials-workplace.ts';
import { loadKeys } from '../sealed-accounts.ts';

const EMPTY = { version: 1, platforms: [], accounts: [] };
const PLATFORM = { platformId: 'alpha', format: 'A' };
const DRAFT: AccountDraft = {
  ...{ platformId: 'alpha', accountId: 'main', alias: 'main', status: 'active', environment: 'production' },
  ...{ algorithm: 'ed25519', createdAt: '2026-11-20T00:00:00.000Z' },
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

  it('writes indented JSON with a final newline, keeps mode 600, orders fields and shows no key', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    chmodSync(workplace().file, 0o600);
    const seen: string[] = [];
    await workplace()
      .editor()
      .addAccount(DRAFT, { kind: 'generate' }, LENGTH_32, (privateKey) => {
        seen.push(Buffer.from(privateKey).toString('hex'), Buffer.from(privateKey).toString('base64url'));
        return 'PublicKey';
      });
    const text = workplace().text();
    expect(text).to.equal(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    expect(statSync(workplace().file).mode & 0o7777).to.equal(0o600);
    const [{ key, ...facts }] = JSON.parse(text).accounts;
    expect(Object.keys(facts).join()).to.equal(
      'platformId,accountId,alias,status,environment,algorithm,publicKey,createdAt',
    );
    expect(key.sealed).to.match(/^v1\./);
    expect(seen).to.have.lengthOf(2);
    for (const secret of seen) expect(text).to.not.include(secret.slice(0, 12));
  });

  it('keeps order and fields of unchanged entries, without adding defaults', async () => {
    const created = { createdAt: '2020-01-01T00:00:00Z', key: { file: 'x' } };
    const before = {
      $schema: './credentials.schema.json',
      accounts: [
        { key: { plaintext: 'not looked at' }, algorithm: 'ed25519', accountId: 'z', platformId: 'zeta' },
        { platformId: 'alpha', accountId: 'a', algorithm: 'ed25519', ...created },
      ],
      version: 1,
      platforms: [{ audit: { clear: ['b', 'a.c'] }, format: 'any', platformId: 'zeta' }, PLATFORM],
    };
    workplace().write(before);
    await add();
    await workplace().editor().setStatus('alpha', 'a', 'disabled');
    await workplace().editor().setPlatformStatus('alpha', 'disabled');
    const after = JSON.parse(workplace().text());
    const expected = {
      ...before,
      accounts: [before.accounts[0], { ...before.accounts[1], status: 'disabled' }, after.accounts[2]],
      platforms: [before.platforms[0], { ...PLATFORM, status: 'disabled' }],
    };
    expect(JSON.stringify(after)).to.equal(JSON.stringify(expected));
    await workplace().editor().setPlatformStatus('alpha', 'active');
    expect(JSON.parse(workplace().text()).platforms).to.deep.equal(before.platforms);
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

  it('names a working remedy for an algorithm or an encoding that the platform does not allow', async () => {
    const other = { platformId: 'other', format: 'any' };
    for (const [platform, message] of [
      [
        PLATFORM,
        'Platform "alpha" does not allow eip191; its algorithms are ed25519. Nothing was changed. ' +
          'Use another platform, or set platforms[1].algorithms in the credentials file to ["ed25519","eip191"].',
      ],
      [
        { platformId: 'alpha', format: 'any', encoding: 'hex' },
        'Nothing was changed: signatures of eip191 have a 0x prefix, which the encoding hex lacks; ' +
          'write "encoding": "0x-hex" for platform alpha, or omit encoding in the credentials file.',
      ],
    ] as const) {
      workplace().write({ ...EMPTY, platforms: [other, platform] });
      const error = await rejection(add({ ...DRAFT, algorithm: 'eip191' }));
      expect(error).to.be.instanceOf(EditRefusedError);
      expect(error.message).to.equal(message);
      expect(await listedIds()).to.deep.equal([]);
    }
    workplace().write({ ...EMPTY, platforms: [other, { ...PLATFORM, algorithms: ['ed25519', 'eip191'] }] });
    await add({ ...DRAFT, algorithm: 'eip191' });
    expect(await listedIds()).to.deep.equal(['main']);
  });

  it('rejects a missing credentials file or master key with CredentialLoadError and remedy', async () => {
    const missing = await rejection(workplace().editor().list());
    expect(missing).to.be.instanceOf(CredentialLoadError);
    expect(missing.message).to.include('run `signing-service init`');
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    rmSync(workplace().masterKeyFile);
    const error = await rejection(add());
    expect(error).to.be.instanceOf(CredentialLoadError);
    expect(error.message).to.include(workplace().masterKeyFile).and.include('run `signing-service init`');
  });

  it('leaves an invalid file untouched', async () => {
    const content = '{"version":1,"platforms":[],"accounts":[],"platforms":[]}';
    workplace().write(content);
    const platform = { platformId: 'beta', format: 'A', algorithms: ['ed25519'], payload: { rule: 'jcs' } } as const;
    expect(await rejection(workplace().editor().addPlatform(platform))).to.be.instanceOf(CredentialLoadError);
    expect(workplace().text()).to.equal(content);
  });

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
