import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import { replaceSecretFile } from '../../../../../../src/adapters/driven/credential-source/files/replace-secret-file.ts';
import { EditRefusedError } from '../../../../../../src/domain/model/errors.ts';
import { rejection, useWorkplace } from '../credentials-workplace.ts';

const NEW = Buffer.from('new secret');

describe('replaceSecretFile', () => {
  const workplace = useWorkplace();
  const original = { rename: fs.rename, stat: fs.stat };

  afterEach(() => {
    Object.assign(fs, original);
    syncBuiltinESMExports();
  });

  const replace = (file: string, bytes = NEW) =>
    replaceSecretFile(file, workplace().masterKeyFile, (write) => write(bytes));

  it('replaces a file in one step, and keeps its mode', async () => {
    const { masterKeyFile } = workplace();
    for (const mode of [0o600, 0o400, 0o440]) {
      chmodSync(masterKeyFile, mode);
      await replace(masterKeyFile);
      expect(readFileSync(masterKeyFile).equals(NEW)).to.equal(true);
      expect(statSync(masterKeyFile).mode & 0o7777).to.equal(mode);
    }
    expect(readdirSync(workplace().folder)).to.deep.equal(['master.key']);
  });

  it('makes a file where none is, with the mode of its model', async () => {
    chmodSync(workplace().masterKeyFile, 0o440);
    const file = workplace().path('beside.key');
    await replace(file);
    expect(readFileSync(file).equals(NEW)).to.equal(true);
    expect(statSync(file).mode & 0o7777).to.equal(0o440);
  });

  it('gives it the owner of its model, or refuses', async () => {
    const owner = statSync(workplace().masterKeyFile);
    fs.stat = (async () => ({ ...owner, uid: owner.uid + 1 })) as unknown as typeof fs.stat;
    syncBuiltinESMExports();
    const file = workplace().path('beside.key');
    if (process.geteuid?.() === 0) {
      await replace(file);
      expect(statSync(file).uid).to.equal(owner.uid + 1);
      return;
    }
    expect(await rejection(replace(file))).to.be.instanceOf(EditRefusedError);
    expect(existsSync(file)).to.equal(false);
  });

  it('is not led astray by what a killed process left behind', async () => {
    const elsewhere = workplace().path('elsewhere');
    writeFileSync(elsewhere, 'untouched');
    symlinkSync(elsewhere, `${workplace().masterKeyFile}.tmp`);
    await replace(workplace().masterKeyFile);
    expect(readFileSync(elsewhere, 'utf8')).to.equal('untouched');
    expect(statSync(workplace().masterKeyFile).size).to.equal(NEW.length);
  });

  it('keeps what is there when it can not be renamed, and leaves no copy of the secret', async () => {
    const before = readFileSync(workplace().masterKeyFile);
    fs.rename = async () => {
      throw Object.assign(new Error('from the system'), { code: 'EBUSY' });
    };
    syncBuiltinESMExports();
    const error = await rejection(replace(workplace().masterKeyFile));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.equal(`${workplace().masterKeyFile} can't be written (EBUSY).`);
    expect(readFileSync(workplace().masterKeyFile).equals(before)).to.equal(true);
    expect(readdirSync(workplace().folder)).to.deep.equal(['master.key']);
  });

  it('refuses with the reason when there is no such folder', async () => {
    const error = await rejection(replace(workplace().path('missing/master.key')));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include('missing/master.key').and.include('its folder does not exist');
  });

  it('passes on what the content throws, and writes nothing', async () => {
    const thrown = new RangeError('from the content');
    const action = replaceSecretFile(workplace().path('a.key'), workplace().masterKeyFile, () => {
      throw thrown;
    });
    expect(await rejection(action)).to.equal(thrown);
    expect(readdirSync(workplace().folder)).to.deep.equal(['master.key']);
  });
});
