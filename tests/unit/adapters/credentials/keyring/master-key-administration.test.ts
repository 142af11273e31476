import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import { readRing } from '../../../../../src/adapters/credentials/keyring/ring-file.ts';
import { CredentialLoadError, OperatorError } from '../../../../../src/domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../../../src/domain/model/master-key-rotation.ts';
import { FixedWrappingKeys } from '../../../../doubles/fixed-wrapping-keys.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { plainLine, rejection, useWorkplace } from '../credentials-workplace.ts';
import { loadKeys, writeSealedAccounts } from '../sealed-accounts.ts';
import { administrationOf } from './rotated-workplace.ts';

const PASSPHRASE = 'correct horse battery';
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

  const rotate = (prompt?: TypedPassphrases, wanted: MasterKeyProtection | null = null) =>
    administrationOf(workplace(), prompt).rotate(wanted);
  const report = () => administrationOf(workplace()).report();
  const retire = () => administrationOf(workplace()).retire();
  const counts = async () => (await report()).keys.map(({ accounts }) => accounts);

  async function expectSameKeys(...passphrases: readonly string[]): Promise<void> {
    const keyring = workplace().keyring(new TypedPassphrases(...passphrases));
    expect(await loadKeys(workplace().source({ keyring }))).to.deep.equal(keys);
  }

  /** Expects a refusal that leaves both files unchanged. */
  async function expectRefused(action: () => Promise<unknown>, ...parts: readonly string[]): Promise<void> {
    const before = [workplace().text(), workplace().ring()];
    const error = await rejection(action());
    const isExpected = error instanceof OperatorError || error instanceof CredentialLoadError;
    expect(isExpected, String(error)).to.equal(true);
    for (const part of parts) expect(error.message).to.include(part);
    expect([workplace().text(), workplace().ring()]).to.deep.equal(before);
  }

  it('seals every account under a new master key in front, and keeps the others until they are retired', async () => {
    const [old] = (await report()).keys;
    expect([await counts(), (await report()).missing]).to.deep.equal([[4], []]);
    const steps: number[] = [];
    const rotation = await administrationOf(workplace()).rotate(null, (done, total) => steps.push(done / total));
    expect(steps).to.deep.equal(steps.toSorted()).and.have.length.above(3);
    const { file, primary, previous, accounts } = rotation;
    expect([file, accounts, previous.id]).to.deep.equal([workplace().masterKeyFile, 4, old?.id]);
    expect((await report()).keys).to.deep.equal([
      { ...primary, accounts: 4 },
      { ...previous, accounts: 0 },
    ]);
    await expectSameKeys();

    await rotate();
    expect(await counts()).to.deep.equal([4, 0, 0]);
    expect((await report()).keys.slice(1).map(({ id }) => id)).to.deep.equal([primary.id, previous.id]);
    await expectSameKeys();
    expect(await retire()).to.deep.equal({ file, retired: [primary, previous] });
    expect(await counts()).to.deep.equal([4]);
    await expectRefused(() => retire(), 'has one master key; there is none to remove');
    await expectSameKeys();
  });

  it('rotates without accounts', async () => {
    writeSealedAccounts(workplace(), 0);
    expect((await rotate()).accounts).to.equal(0);
    expect(workplace().ids()).to.have.lengthOf(2);
  });

  it('makes another key after an interrupted rotation, and retires nothing that is in use', async () => {
    const before = workplace().text();
    await rotate();
    workplace().write(before);
    expect(await counts()).to.deep.equal([0, 4]);
    const [, used] = workplace().ids();
    await expectRefused(() => retire(), `${used} (accounts: 4); nothing was removed`, 'master-key rotate');
    await expectSameKeys();
    await rotate();
    expect(await counts()).to.deep.equal([4, 0, 0]);
    await retire();
    await expectSameKeys();
  });

  it('rotates once for concurrent calls, and tells the others that the ring changed', async () => {
    const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).to.be.instanceOf(OperatorError);
      expect(outcome.reason.message).to.include('was changed by another process');
    }
    expect(await counts()).to.deep.equal([4, 0]);
    await expectSameKeys();
  });

  it('rejects an invalid configuration with CredentialLoadError', async () => {
    workplace().write({ version: 1, platforms: [], accounts: [{}] });
    for (const call of [report, rotate, retire]) {
      expect(await rejection(call())).to.be.instanceOf(CredentialLoadError);
    }
  });

  it('keeps the lines and the mode of the ring, and leaves no other secret', async () => {
    const { masterKeyFile, folder } = workplace();
    const old = workplace().ring();
    chmodSync(masterKeyFile, 0o400);
    await rotate();
    expect(workplace().ring()).to.match(/^[0-9a-f]{64}\n[0-9a-f]{64}\n$/);
    expect(workplace().ring().endsWith(`\n${old}`)).to.equal(true);
    await retire();
    expect(workplace().ring()).to.match(/^[0-9a-f]{64}\n$/);
    expect(statSync(masterKeyFile).mode & 0o7777).to.equal(0o400);
    const written = ['credentials.json', 'master.key'].flatMap((name) => [name, `${name}.lock`]);
    expect(readdirSync(folder)).to.have.members([...written, 'plain.key']);
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
    const { primary } = await rotate();
    expect(readdirSync(workplace().path('elsewhere'))).to.have.members(['real.key', 'real.key.lock']);
    for (const file of [real, masterKeyFile]) expect(readRing(file)[0].id).to.equal(primary.id);
    await expectSameKeys();
  });

  it('refuses before writing anything if a sealed key does not open, and names its account', async () => {
    const content = JSON.parse(workplace().text());
    content.accounts[1].publicKey = 'SomeoneElses';
    workplace().write(content);
    await expectRefused(() => rotate(), 'accounts[1].key: cannot be opened');
  });

  it('refuses if accounts are sealed under a missing key', async () => {
    workplace().writeRing(plainLine());
    const { missing } = await report();
    expect(missing.map(({ accounts }) => accounts)).to.deep.equal([4]);
    await expectRefused(() => rotate(), `is sealed under master key ${missing[0]?.id}`, 'append the line');
  });

  it('refuses an eleventh key, and names how to remove others', async () => {
    workplace().writeRing(workplace().ring(), ...Array.from({ length: 8 }, plainLine));
    await rotate();
    expect(workplace().ids()).to.have.lengthOf(10);
    await expectRefused(() => rotate(), 'has 10 master keys', 'signing-service master-key retire --yes');
    await retire();
    await rotate();
    await expectSameKeys();
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
    const ring = workplace().ring();
    const error = await rejection(rotate());
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include('was changed by another process').and.include('nothing was changed');
    expect([workplace().text(), workplace().ring()]).to.deep.equal([byHand, ring]);
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
    await expectRefused(() => rotate(), 'its new content differs when read back');
  });

  it('keeps every account loadable when the credentials file cannot be replaced, and succeeds later', async () => {
    const { rename } = fs;
    stub({
      rename: async (from, to) => {
        if (String(to).endsWith('credentials.json'))
          throw Object.assign(new Error('from the system'), { code: 'EIO', syscall: 'test' });
        return rename(from, to);
      },
    });
    const error = await rejection(rotate());
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include('credentials.json was not changed: it could not be written (EIO)');
    expect(await counts()).to.deep.equal([0, 4]);
    await expectSameKeys();
    stub(original);
    await rotate();
    expect(await counts()).to.deep.equal([4, 0, 0]);
    await expectSameKeys();
  });

  it('refuses if another process rotated and retired meanwhile', async () => {
    const before = workplace().ring();
    const prompt = new TypedPassphrases(PASSPHRASE, PASSPHRASE);
    const ask = prompt.readPassphrase.bind(prompt);
    prompt.readPassphrase = async (question) => {
      if (workplace().ring() === before) {
        await rotate();
        await retire();
      }
      return ask(question);
    };
    const error = await rejection(rotate(prompt, { source: 'passphrase' }));
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include('was changed by another process at the same time');
    expect(await counts()).to.deep.equal([4]);
    await expectSameKeys();
  });

  it('explains how to rotate and retire if the files are mounted', async () => {
    await rotate();
    stub({
      rename: async () => {
        throw Object.assign(new Error('from the system'), { code: 'EBUSY', syscall: 'test' });
      },
    });
    const order = 'run this on copies in a folder that this user can write, then deploy the master key file first';
    for (const action of [rotate, retire]) await expectRefused(() => action(), 'EBUSY', order);
    await expectSameKeys();
  });

  describe('with a wrapping key', () => {
    const wrappingKeys = new FixedWrappingKeys();
    const WRAPPED = { source: 'vault-transit', wrappingKey: 'transit/k' } as const;
    const administration = () => administrationOf(workplace(), undefined, wrappingKeys);
    afterEach(() => {
      wrappingKeys.unavailable = null;
    });

    it('wraps the new master key on request, and the next one, until another source is named', async () => {
      const first = await administration().rotate(WRAPPED);
      expect([first.primary.source, first.previous.source]).to.deep.equal(['vault-transit', 'file']);
      expect(workplace().ring()).to.include(`vault-transit.v1.${first.primary.id}.transit/k.`);

      const second = await administration().rotate(null);
      expect(workplace().ring().startsWith(`vault-transit.v1.${second.primary.id}.transit/k.`)).to.equal(true);

      const { primary, accounts } = await administration().rotate({ source: 'file' });
      expect([primary.source, accounts]).to.deep.equal(['file', 4]);
      const sources = (await administration().report()).keys.map(({ source }) => source);
      expect(sources).to.deep.equal(['file', 'vault-transit', 'vault-transit', 'file']);
      await expectSameKeys();
    });

    it('changes nothing if the service refuses', async () => {
      wrappingKeys.unavailable = 'Vault at https://vault.example: permission denied.';
      await expectRefused(() => administration().rotate(WRAPPED), 'permission denied');
    });
  });

  describe('with a passphrase on the existing key', () => {
    beforeEach(async () => {
      await rotate(new TypedPassphrases(PASSPHRASE, PASSPHRASE), { source: 'passphrase' });
      await retire();
    });

    it('keeps it, prompts once, and does not need it to report and retire', async () => {
      const prompt = new TypedPassphrases(PASSPHRASE);
      const { primary, previous } = await rotate(prompt);
      expect([primary.hasPassphrase, previous.hasPassphrase]).to.deep.equal([true, true]);
      expect(prompt.questions).to.deep.equal([
        `Passphrase for master key ${previous.id} in ${workplace().masterKeyFile}: `,
      ]);
      expect((await report()).keys.map(({ source }) => source)).to.deep.equal(['passphrase', 'passphrase']);
      await retire();
      await expectSameKeys(PASSPHRASE);
    });

    it('makes another key with the new passphrase after an interrupted rotation to it', async () => {
      const before = workplace().text();
      await rotate(new TypedPassphrases(PASSPHRASE, NEW_PASSPHRASE, NEW_PASSPHRASE), { source: 'passphrase' });
      workplace().write(before);
      await expectSameKeys(PASSPHRASE);
      const prompt = new TypedPassphrases(NEW_PASSPHRASE, PASSPHRASE);
      await rotate(prompt);
      expect(prompt.questions).to.have.lengthOf(2);
      await expectSameKeys(NEW_PASSPHRASE);
    });

    it('changes nothing without the passphrase', async () => {
      await expectRefused(() => rotate(), 'Nobody is here');
      await expectRefused(
        () => rotate(new TypedPassphrases(PASSPHRASE, 'short'), { source: 'passphrase' }),
        'Nobody is here',
      );
      await expectSameKeys(PASSPHRASE);
    });
  });
});
