import {
  chmodSync,
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
import { expect } from 'chai';
import { readMasterKeyFile } from '../../../../../src/adapters/credentials/master-key/master-key-file.ts';
import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/master-key-rotation/master-key-administration.ts';
import { CredentialLoadError, EditRefusedError } from '../../../../../src/domain/model/errors.ts';
import { FixedWrappingKey } from '../../../../doubles/fixed-wrapping-key.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { createMasterKeyFile, rejection, useWorkplace } from '../credentials-workplace.ts';
import { loadKeys, testKey, writeSealedAccounts } from '../sealed-accounts.ts';
import { administrationOf, interruptRotation, leaveLeftovers, PASSPHRASE } from './rotated-workplace.ts';

const NEW_PASSPHRASE = 'another horse battery';

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

  const report = () => administrationOf(workplace()).report();
  const retire = () => administrationOf(workplace()).retire();

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

  it('seals every account under a new master key, and keeps the previous key until it is retired', async () => {
    const before = await report();
    expect([before.primary.accounts, before.previous, before.missing, before.leftovers]).to.deep.equal([
      ...[4, null, [], []],
    ]);
    const steps: number[] = [];
    const rotation = await administrationOf(workplace()).rotate(false, (done, total) => steps.push(done / total));
    expect(steps).to.deep.equal(steps.toSorted()).and.have.length.above(3);
    const { primary, previous } = await report();
    expect([rotation.outcome, rotation.accounts]).to.deep.equal(['made', 4]);
    expect([primary, previous]).to.deep.equal([
      { ...rotation.primary, accounts: 4 },
      { ...rotation.previous, accounts: 0 },
    ]);
    expect([primary.file, previous?.id]).to.deep.equal([before.primary.file, before.primary.id]);
    expect(primary.id).to.not.equal(before.primary.id);
    await expectSameKeys();

    await expectRefused(() => rotate(), 'still has the previous master key', 'master-key retire --yes');
    expect(await retire()).to.deep.equal({ retired: rotation.previous, leftovers: [] });
    expect((await report()).previous).to.equal(null);
    await expectRefused(() => retire(), 'There is no previous master key');
    await expectSameKeys();
  });

  it('rotates without accounts', async () => {
    writeSealedAccounts(workplace(), 0);
    const before = await report();
    expect((await rotate()).accounts).to.equal(0);
    expect((await report()).previous?.id).to.equal(before.primary.id);
  });

  it('finishes an interrupted rotation with the key already created, which it needs until then', async () => {
    await interruptRotation(workplace());
    const before = await report();
    expect([before.primary.accounts, before.previous?.accounts]).to.deep.equal([0, 4]);
    await leaveLeftovers(workplace());
    await expectRefused(() => retire(), 'still sealed under the previous master key', 'Nothing was removed');
    expect((await report()).leftovers).to.have.lengthOf(3);
    await expectSameKeys();
    const { outcome, accounts, primary, previous } = await rotate();
    expect([outcome, accounts]).to.deep.equal(['finished', 4]);
    expect([primary.id, previous.id]).to.deep.equal([before.primary.id, before.previous?.id]);
    await retire();
    expect((await report()).leftovers).to.deep.equal([]);
    await expectSameKeys();
  });

  for (const [what, isInterrupted] of [
    ['rotates', false],
    ['finishes a rotation', true],
  ] as const) {
    it(`${what} once for concurrent calls, and tells the others that it is done`, async () => {
      if (isInterrupted) await interruptRotation(workplace());
      const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
      const { primary, previous } = await report();
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).to.be.instanceOf(EditRefusedError);
        expect(outcome.reason.message)
          .to.match(
            isInterrupted ? new RegExp(`same time\\. .*complete: .* ${primary.id}\\.`) : /complete|master-key retire/,
          )
          .and.not.match(/as it was|not finished|rotate` again|Neither/);
      }
      expect([primary.accounts, previous?.accounts]).to.deep.equal([4, 0]);
      await expectSameKeys();
    });
  }

  it('rejects an invalid configuration with CredentialLoadError', async () => {
    workplace().write({ version: 1, platforms: [], accounts: [{}] });
    for (const call of [report, rotate, retire]) {
      expect(await rejection(call())).to.be.instanceOf(CredentialLoadError);
    }
  });

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
    const { missing } = await report();
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
        await retire();
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

  describe('retiring', () => {
    it('names removed leftovers when a later one cannot be, and keeps the previous key', async () => {
      const { previous } = await rotate();
      const [first, second] = [`${workplace().file}.tmp`, `${workplace().masterKeyFile}.tmp`];
      writeFileSync(first, testKey(1), { mode: 0o600 });
      mkdirSync(second);
      await expectRefused(
        () => retire(),
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
      await expectRefused(() => retire(), `${previousMasterKeyFile}: removed, but the disk did not confirm it (EIO)`);
      expect(existsSync(previousMasterKeyFile)).to.equal(false);
    });

    it('removes a copy of the primary and temporary files of killed commands, and a rotation replaces a copy', async () => {
      const { masterKeyFile, previousMasterKeyFile } = workplace();
      writeFileSync(previousMasterKeyFile, readFileSync(masterKeyFile), { mode: 0o600 });
      const left = await leaveLeftovers(workplace());
      expect((await retire()).leftovers).to.have.members(left);
      expect([previousMasterKeyFile, ...left].filter(existsSync)).to.deep.equal([]);
      writeFileSync(previousMasterKeyFile, readFileSync(masterKeyFile), { mode: 0o600 });
      expect((await rotate()).outcome).to.equal('made');
      await expectSameKeys();
    });

    it('keeps a previous file that is a symbolic link, as in a mounted volume', async () => {
      const { previousMasterKeyFile } = workplace();
      createMasterKeyFile(workplace().path('mounted.key'));
      symlinkSync(workplace().path('mounted.key'), previousMasterKeyFile);
      await expectRefused(() => retire(), 'is a symbolic link; nothing was removed');
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
    describe('on the existing key', () => {
      beforeEach(async () => {
        await rotate(new TypedPassphrases(PASSPHRASE, PASSPHRASE), true);
        await retire();
      });

      it('is kept, prompts once, and is not needed to report and retire', async () => {
        const prompt = new TypedPassphrases(PASSPHRASE);
        const { primary, previous } = await rotate(prompt);
        expect([primary.hasPassphrase, previous.hasPassphrase]).to.deep.equal([true, true]);
        expect(prompt.questions).to.deep.equal([`Passphrase for ${workplace().masterKeyFile}: `]);
        expect((await report()).previous?.hasPassphrase).to.equal(true);
        await retire();
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
