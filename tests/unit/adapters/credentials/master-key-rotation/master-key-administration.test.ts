import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { readMasterKeyFile } from '../../../../../src/adapters/credentials/master-key/master-key-file.ts';
import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/master-key-rotation/master-key-administration.ts';
import { CredentialLoadError, EditRefusedError } from '../../../../../src/domain/model/errors.ts';
import type { AccountDraft } from '../../../../../src/ports/credential-editor.ts';
import { describeMasterKeyAdministrationContract } from '../../../../contracts/master-key-administration-contract.ts';
import { LENGTH_32 } from '../../../../doubles/credential-builder.ts';
import { FixedWrappingKey } from '../../../../doubles/fixed-wrapping-key.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { CredentialsWorkplace, createMasterKeyFile, rejection, useWorkplace } from '../credentials-workplace.ts';
import { loadKeys, testKey, writeSealedAccounts } from '../sealed-accounts.ts';
import { administrationOf, interruptRotation, leaveLeftovers, PASSPHRASE } from './rotated-workplace.ts';

const NEW_PASSPHRASE = 'another horse battery';
const NOBODY = 65_534;

describeMasterKeyAdministrationContract('MasterKeyAdministration', async () => {
  const workplace = new CredentialsWorkplace();
  return {
    makeAdministration: () => administrationOf(workplace),
    fill: async (accounts) => writeSealedAccounts(workplace, accounts),
    loadKeys: () => loadKeys(workplace.source()),
    interruptRotation: () => interruptRotation(workplace),
    leaveLeftovers: () => leaveLeftovers(workplace),
    spoil: async () => workplace.write({ version: 1, platforms: [], accounts: [{}] }),
    dispose: async () => workplace.remove(),
  };
});

describe('MasterKeyAdministration', () => {
  const workplace = useWorkplace();
  const original = { rename: fs.rename, open: fs.open };
  let keys: readonly string[];

  beforeEach(async () => {
    writeSealedAccounts(workplace(), 4);
    keys = await loadKeys(workplace().source());
  });
  afterEach(() => {
    Object.assign(fs, original);
    syncBuiltinESMExports();
  });

  function stub(replacement: Partial<typeof fs>): void {
    Object.assign(fs, replacement);
    syncBuiltinESMExports();
  }

  function idIn(file: string): string {
    const stored = readMasterKeyFile(file);
    if (stored.kind === 'plain') stored.key.destroy();
    return stored.id;
  }

  const rotate = (prompt?: TypedPassphrases, newPassphrase = false) =>
    administrationOf(workplace(), prompt).rotate(newPassphrase);

  async function expectSameKeys(...passphrases: readonly string[]): Promise<void> {
    const masterKeys = workplace().keeper(new TypedPassphrases(...passphrases));
    expect(await loadKeys(workplace().source({ masterKeys }))).to.deep.equal(keys);
  }

  /** Expects a refusal that leaves every file unchanged. */
  async function expectRefused(action: () => Promise<unknown>, ...parts: readonly string[]): Promise<Error> {
    const before = [workplace().text(), readFileSync(workplace().masterKeyFile, 'hex')];
    const error = await rejection(action());
    expect(
      [EditRefusedError, CredentialLoadError].some((type) => error instanceof type),
      String(error),
    ).to.equal(true);
    for (const part of parts) expect(error.message).to.include(part);
    expect([workplace().text(), readFileSync(workplace().masterKeyFile, 'hex')]).to.deep.equal(before);
    return error;
  }

  it('copies the old key unchanged to the previous file, keeps modes and leaves no other secret', async () => {
    const { masterKeyFile, previousMasterKeyFile, folder } = workplace();
    const old = readFileSync(masterKeyFile, 'hex');
    chmodSync(masterKeyFile, 0o400);
    await rotate();
    expect(readFileSync(previousMasterKeyFile, 'hex')).to.equal(old);
    expect(readFileSync(masterKeyFile)).to.have.lengthOf(32);
    expect(readFileSync(masterKeyFile, 'hex')).to.not.equal(old);
    for (const file of [masterKeyFile, previousMasterKeyFile]) {
      expect(statSync(file).mode & 0o7777).to.equal(0o400);
    }
    expect(readdirSync(folder)).to.have.members([
      ...['credentials.json', 'credentials.json.lock', 'plain.key'],
      ...['master.key', 'master.key.lock', 'master.key.previous'],
    ]);
  });

  it('changes only the sealed texts in the credentials file', async () => {
    const permissions = [{ principals: ['bot-*'], accounts: ['alpha/*'], operations: ['sign'] }];
    const before = { ...JSON.parse(workplace().text()), permissions };
    workplace().write(before);
    await rotate();
    const after = JSON.parse(workplace().text());
    const withoutKeys = ({ accounts, ...rest }: { accounts: { key: object }[] }) => ({
      ...rest,
      accounts: accounts.map(({ key, ...facts }) => ({ ...facts, kind: Object.keys(key) })),
    });
    expect(withoutKeys(after)).to.deep.equal(withoutKeys(before));
    expect(after.accounts.at(3).key).to.deep.equal(before.accounts.at(3).key);
    const texts = [...before.accounts, ...after.accounts].flatMap(({ key }) => key.sealed ?? []);
    expect(new Set(texts).size).to.equal(8);
  });

  it('keeps a symbolic link and rotates its target', async () => {
    const { masterKeyFile } = workplace();
    mkdirSync(workplace().path('elsewhere'));
    const real = workplace().path('elsewhere/real.key');
    renameSync(masterKeyFile, real);
    symlinkSync('elsewhere/real.key', masterKeyFile);
    const before = idIn(real);
    const { primary } = await rotate();
    expect(readdirSync(workplace().path('elsewhere'))).to.have.members(['real.key', 'real.key.lock']);
    expect(idIn(real)).to.equal(primary.id);
    expect(idIn(masterKeyFile)).to.equal(primary.id).and.not.equal(before);
    await expectSameKeys();
  });

  it('accepts a previous file in another folder', async () => {
    mkdirSync(workplace().path('previous'));
    const masterKeyFiles = { ...workplace().masterKeyFiles, previous: workplace().path('previous/old.key') };
    const administration = administrationOf(workplace(), undefined, masterKeyFiles);
    const { previous } = await administration.rotate(false);
    expect(idIn(masterKeyFiles.previous)).to.equal(previous.id);
    await administration.retire();
    expect(readdirSync(workplace().path('previous'))).to.deep.equal([]);
    await expectSameKeys();
  });

  it('finishes with accounts added in the meantime', async () => {
    await interruptRotation(workplace());
    const draft: AccountDraft = {
      ...{ platformId: 'alpha', accountId: 'added', alias: 'added', status: 'active', environment: 'production' },
      ...{ algorithm: 'ed25519', createdAt: '2026-11-20T00:00:00.000Z' },
    };
    await workplace()
      .editor()
      .addAccount(draft, { kind: 'generate' }, LENGTH_32, (key) => {
        keys = [...keys, Buffer.from(key).toString('hex')];
        return 'AddedKey';
      });
    expect((await rotate()).accounts).to.equal(4);
    expect((await administrationOf(workplace()).report()).primary.accounts).to.equal(5);
    await expectSameKeys();
  });

  it('refuses before writing anything if a sealed key does not open, and names its account', async () => {
    const content = JSON.parse(workplace().text());
    content.accounts[1].publicKey = 'SomeoneElses';
    workplace().write(content);
    await expectRefused(
      () => rotate(),
      'accounts[1].key: cannot be opened',
      'Neither the master key nor the credentials file was changed',
    );
    expect(existsSync(workplace().previousMasterKeyFile)).to.equal(false);
  });

  it('refuses if accounts are sealed under a missing key', async () => {
    rmSync(workplace().masterKeyFile);
    createMasterKeyFile(workplace().masterKeyFile);
    const { missing } = await administrationOf(workplace()).report();
    expect(missing.map(({ accounts }) => accounts)).to.deep.equal([4]);
    await expectRefused(() => rotate(), String(missing[0]?.id), 'Restore that key');
  });

  it('refuses if a file is edited concurrently, before the keys change', async () => {
    const byHand = `${workplace().text()} `;
    const { open } = fs;
    stub({
      open: async (path, ...rest) => {
        if (String(path).endsWith('credentials.json.tmp')) writeFileSync(workplace().file, byHand);
        return open(path, ...rest);
      },
    });
    const old = idIn(workplace().masterKeyFile);
    const error = await rejection(rotate());
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message)
      .to.include('was changed by another process')
      .and.include('Neither the master key nor the credentials file was changed');
    expect([workplace().text(), idIn(workplace().masterKeyFile)]).to.deep.equal([byHand, old]);
    expect(existsSync(workplace().previousMasterKeyFile)).to.equal(false);
  });

  it('refuses before the keys change if the disk has other keys than were written', async () => {
    const { open } = fs;
    let opened = 0;
    stub({
      open: async (path, ...rest) => {
        if (String(path).endsWith('credentials.json.tmp')) opened += 1;
        // First it is written, then it is read.
        if (opened === 2) writeFileSync(path as string, workplace().text());
        return open(path, ...rest);
      },
    });
    await expectRefused(() => rotate(), 'A resealed key is still sealed', 'Neither the master key');
    expect(existsSync(workplace().previousMasterKeyFile)).to.equal(false);
  });

  it('reports the state when the credentials file cannot be replaced, and finishes later', async () => {
    const { rename } = fs;
    stub({
      rename: async (from, to) => {
        if (String(to).endsWith('credentials.json')) throw Object.assign(new Error('from the system'), { code: 'EIO' });
        return rename(from, to);
      },
    });
    const error = await rejection(rotate());
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message)
      .to.include('credentials.json cannot be written (EIO)')
      .and.include('The new master key is in place, and the previous one still opens every account')
      .and.include('Run `signing-service master-key rotate` again');
    await expectSameKeys();
    stub(original);
    expect((await rotate()).outcome).to.equal('finished');
    await expectSameKeys();
  });

  it('reports a master key that another process rotated and retired meanwhile', async () => {
    const before = idIn(workplace().masterKeyFile);
    const prompt = new TypedPassphrases(PASSPHRASE, PASSPHRASE);
    const ask = prompt.readPassphrase.bind(prompt);
    prompt.readPassphrase = async (question) => {
      if (idIn(workplace().masterKeyFile) === before) {
        await rotate();
        await administrationOf(workplace()).retire();
      }
      return ask(question);
    };
    const error = await rejection(rotate(prompt, true));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message)
      .to.include('by another process at the same time')
      .and.include(`Master key ${idIn(workplace().masterKeyFile)} is now in place.`)
      .and.not.match(/as it was|again/);
    await expectSameKeys();
  });

  it('explains how to rotate if the master key is mounted', async () => {
    stub({
      rename: async () => {
        throw Object.assign(new Error('from the system'), { code: 'EBUSY' });
      },
    });
    const unchanged = 'Neither the master key nor the credentials file was changed';
    await expectRefused(() => rotate(), 'EBUSY', 'run this on copies', unchanged);
    await expectSameKeys();
  });

  it('explains how to rotate if the folder is not writable, and changes nothing', async () => {
    const { folder } = workplace();
    const isRoot = process.geteuid?.() === 0;
    if (isRoot)
      for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
        chownSync(path, NOBODY, NOBODY);
    chmodSync(folder, 0o555);
    const before = readdirSync(folder);
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      await expectRefused(
        () => rotate(),
        '.lock',
        '(EACCES)',
        'run this on copies',
        'Neither the master key nor the credentials file was changed',
      );
      await expectRefused(() => administrationOf(workplace()).retire(), '.lock', '(EACCES)');
      await expectSameKeys();
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(folder, 0o755);
    }
    expect(readdirSync(folder)).to.deep.equal(before);
  });

  it('refuses files that are the same or would overwrite one another', async () => {
    const { file, masterKeyFile } = workplace();
    symlinkSync(masterKeyFile, workplace().path('link.key'));
    for (const previous of [workplace().path('link.key'), `${masterKeyFile}.tmp`, `${file}.lock`]) {
      const administration = administrationOf(workplace(), undefined, { primary: masterKeyFile, previous });
      for (const action of [() => administration.rotate(false), () => administration.retire()]) {
        await expectRefused(action, 'must name three different files');
      }
      expect(existsSync(`${masterKeyFile}.tmp`)).to.equal(false);
    }
  });

  it('rejects invalid master key files with the reason', async () => {
    chmodSync(workplace().masterKeyFile, 0o644);
    for (const call of [
      () => rotate(),
      () => administrationOf(workplace()).retire(),
      () => administrationOf(workplace()).report(),
    ]) {
      await expectRefused(call, 'chmod 600');
    }
  });

  describe('retiring', () => {
    it('removes leftovers of killed commands next to the targets of symbolic links', async () => {
      const { file, masterKeyFile } = workplace();
      mkdirSync(workplace().path('elsewhere'));
      for (const [link, name] of [
        [file, 'credentials.json'],
        [masterKeyFile, 'master.key'],
      ] as const) {
        renameSync(link, workplace().path(`elsewhere/${name}`));
        symlinkSync(`elsewhere/${name}`, link);
        writeFileSync(workplace().path(`elsewhere/${name}.tmp`), testKey(1), { mode: 0o600 });
      }
      const left = ['credentials.json.tmp', 'master.key.tmp'].map((name) => workplace().path(`elsewhere/${name}`));
      expect((await administrationOf(workplace()).report()).leftovers).to.have.members(left);
      expect(await administrationOf(workplace()).retire()).to.deep.equal({ retired: null, leftovers: left });
      expect(left.filter(existsSync)).to.deep.equal([]);
      await expectSameKeys();
    });

    it('names removed leftovers when a later one cannot be, and keeps the previous key', async () => {
      const { previous } = await rotate();
      const [first, second] = [`${workplace().file}.tmp`, `${workplace().masterKeyFile}.tmp`];
      writeFileSync(first, testKey(1), { mode: 0o600 });
      mkdirSync(second);
      await expectRefused(
        () => administrationOf(workplace()).retire(),
        `${second} cannot be removed (EISDIR)`,
        `(${first}) were removed, the previous master key was not`,
      );
      expect([existsSync(first), idIn(workplace().previousMasterKeyFile)]).to.deep.equal([false, previous.id]);
    });

    it('reports a removal that the disk does not confirm', async () => {
      await rotate();
      const { open } = fs;
      stub({
        open: async (path, ...rest) => {
          if (path === workplace().folder) throw Object.assign(new Error('from the system'), { code: 'EIO' });
          return open(path, ...rest);
        },
      });
      const { previousMasterKeyFile } = workplace();
      await expectRefused(
        () => administrationOf(workplace()).retire(),
        `${previousMasterKeyFile}: removed, but the disk did not confirm it (EIO)`,
      );
      expect(existsSync(previousMasterKeyFile)).to.equal(false);
    });

    it('removes a previous file that is a copy of the primary', async () => {
      const { masterKeyFile, previousMasterKeyFile } = workplace();
      writeFileSync(previousMasterKeyFile, readFileSync(masterKeyFile), { mode: 0o600 });
      await administrationOf(workplace()).retire();
      expect(existsSync(previousMasterKeyFile)).to.equal(false);
      await expectSameKeys();
    });

    it('keeps a previous file that is a symbolic link, as in a mounted volume', async () => {
      const { previousMasterKeyFile } = workplace();
      createMasterKeyFile(workplace().path('mounted.key'));
      symlinkSync(workplace().path('mounted.key'), previousMasterKeyFile);
      await expectRefused(() => administrationOf(workplace()).retire(), 'is a symbolic link; nothing was removed');
      const [leftover] = await leaveLeftovers(workplace());
      await expectRefused(
        () => administrationOf(workplace()).retire(),
        'is a symbolic link; temporary files of killed commands',
        String(leftover),
        'the previous master key was not',
      );
      expect(existsSync(previousMasterKeyFile)).to.equal(true);
    });
  });

  describe('with a wrapping key', () => {
    const wrappingKey = new FixedWrappingKey();
    const WRAPPED = { source: 'vault-transit', wrappingKey: 'transit/k' } as const;
    const administration = () =>
      new MasterKeyAdministration({
        ...{ file: workplace().file, masterKeyFiles: workplace().masterKeyFiles, prompt: new TypedPassphrases() },
        loadWrappingKey: async () => wrappingKey,
      });
    const content = () => readFileSync(workplace().masterKeyFile, 'utf8');
    afterEach(() => {
      wrappingKey.unavailable = null;
    });

    it('wraps the new master key on request, and the next one, until another source is named', async () => {
      const first = await administration().rotate(false, undefined, WRAPPED);
      expect([first.primary.source, first.previous.source]).to.deep.equal(['vault-transit', 'file']);
      expect(content()).to.include(`vault-transit.v1.${first.primary.id}.transit/k.`);
      await administration().retire();

      const second = await administration().rotate(false);
      expect(second.primary.id).to.not.equal(first.primary.id);
      expect(content()).to.include(`vault-transit.v1.${second.primary.id}.transit/k.`);
      await administration().retire();

      const { primary, accounts } = await administration().rotate(false, undefined, { source: 'file' });
      expect(primary.source).to.equal('file');
      expect(accounts).to.be.above(0);
      await expectSameKeys();
      expect((await administration().report()).previous?.source).to.equal('vault-transit');
    });

    it('changes nothing if the service refuses', async () => {
      const before = readFileSync(workplace().masterKeyFile);
      wrappingKey.unavailable = 'Vault at https://vault.example: permission denied';
      const error = await rejection(administration().rotate(false, undefined, WRAPPED));
      expect(error).to.be.instanceOf(EditRefusedError);
      expect(error.message).to.include('permission denied');
      expect(readFileSync(workplace().masterKeyFile).equals(before)).to.equal(true);
      expect(existsSync(workplace().previousMasterKeyFile)).to.equal(false);
    });
  });

  describe('with a passphrase', () => {
    it('sets a new passphrase on request and reports it', async () => {
      const { primary, previous } = await rotate(new TypedPassphrases(PASSPHRASE, PASSPHRASE), true);
      expect([primary.hasPassphrase, previous.hasPassphrase]).to.deep.equal([true, false]);
      expect(readFileSync(workplace().masterKeyFile, 'utf8')).to.match(/^argon2id\.v1\.[^\n]+\n$/);
      await expectSameKeys(PASSPHRASE);
    });

    describe('on the existing key', () => {
      beforeEach(async () => {
        await rotate(new TypedPassphrases(PASSPHRASE, PASSPHRASE), true);
        await administrationOf(workplace()).retire();
      });

      it('is kept, prompts once, and is not needed to report and retire', async () => {
        const prompt = new TypedPassphrases(PASSPHRASE);
        const { primary, previous } = await rotate(prompt);
        expect([primary.hasPassphrase, previous.hasPassphrase]).to.deep.equal([true, true]);
        expect(prompt.questions).to.deep.equal([`Passphrase for ${workplace().masterKeyFile}: `]);
        const report = await administrationOf(workplace()).report();
        expect([report.primary.hasPassphrase, report.previous?.hasPassphrase]).to.deep.equal([true, true]);
        await administrationOf(workplace()).retire();
        await expectSameKeys(PASSPHRASE);
      });

      it('finishes a rotation to a new one with both, and prompts for no other', async () => {
        const before = workplace().text();
        await rotate(new TypedPassphrases(PASSPHRASE, NEW_PASSPHRASE, NEW_PASSPHRASE), true);
        workplace().write(before);
        await expectSameKeys(PASSPHRASE);
        const prompt = new TypedPassphrases(NEW_PASSPHRASE, PASSPHRASE);
        expect((await rotate(prompt, true)).outcome).to.equal('finished');
        expect(prompt.questions).to.have.lengthOf(2);
        await expectSameKeys(NEW_PASSPHRASE);
      });

      it('changes nothing without the passphrase', async () => {
        await expectRefused(() => rotate(), 'Nobody is here');
        await expectRefused(() => rotate(new TypedPassphrases(PASSPHRASE, 'short'), true), 'Nobody is here');
        expect(existsSync(workplace().previousMasterKeyFile)).to.equal(false);
        await expectSameKeys(PASSPHRASE);
      });
    });
  });
});
