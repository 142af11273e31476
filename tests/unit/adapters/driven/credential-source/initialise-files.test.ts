import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { initialiseFiles } from '../../../../../src/adapters/driven/credential-source/initialise-files.ts';
import { MasterKey } from '../../../../../src/adapters/driven/credential-source/master-key.ts';
import { CredentialLoadError, EditRefusedError } from '../../../../../src/domain/model/errors.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

const PLATFORM = { platformId: 'alpha', format: 'A' };
const IDENTITY = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519', publicKey: 'Pub' } as const;

describe('initialiseFiles', () => {
  const workplace = useWorkplace();
  const initialise = () => initialiseFiles(workplace().file, workplace().masterKeyFile);

  it('makes both files, mode 600, in folders of mode 700 that it makes, too', async () => {
    const [file, masterKeyFile] = [
      workplace().path('new/config/credentials.json'),
      workplace().path('secret/master.key'),
    ];
    expect(await initialiseFiles(file, masterKeyFile)).to.deep.equal({
      credentialsFile: 'created',
      masterKeyFile: 'created',
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal({ version: 1, platforms: [], accounts: [] });
    MasterKey.load(masterKeyFile).destroy();
    for (const made of [file, masterKeyFile]) expect(statSync(made).mode & 0o7777).to.equal(0o600);
    for (const folder of ['new', 'new/config', 'secret']) {
      expect(statSync(workplace().path(folder)).mode & 0o7777).to.equal(0o700);
    }
  });

  it('makes a credentials file that can be read and edited at once', async () => {
    await initialise();
    const set = await workplace().source().load();
    expect(set.accounts).to.deep.equal([]);
    set.close();
    await workplace()
      .editor()
      .addPlatform({ platformId: 'alpha', format: 'A', algorithms: ['ed25519'], payload: { rule: 'jcs' } });
  });

  it('leaves files that are there as they are, and says so', async () => {
    await initialise();
    workplace().write({ version: 1, platforms: [PLATFORM], accounts: [] });
    const before = [workplace().text(), readFileSync(workplace().masterKeyFile, 'hex')];
    expect(await initialise()).to.deep.equal({ credentialsFile: 'found', masterKeyFile: 'found' });
    expect([workplace().text(), readFileSync(workplace().masterKeyFile, 'hex')]).to.deep.equal(before);
  });

  it('leaves the mode of a folder that is there as it is', async () => {
    const folder = workplace().path('config');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await initialiseFiles(`${folder}/credentials.json`, `${folder}/master.key`);
    expect(statSync(folder).mode & 0o7777).to.equal(0o755);
  });

  it('makes a new master key beside a credentials file in which nothing is sealed', async () => {
    workplace().write({ version: 1, platforms: [PLATFORM], accounts: [] });
    rmSync(workplace().masterKeyFile);
    expect(await initialise()).to.deep.equal({ credentialsFile: 'found', masterKeyFile: 'created' });
  });

  it('refuses to make a new master key beside keys that it could not open, naming the one that is missing', async () => {
    const masterKey = MasterKey.load(workplace().masterKeyFile);
    masterKey.destroy();
    const account = { ...IDENTITY, key: { sealed: workplace().seal(IDENTITY, Buffer.alloc(32, 1)) } };
    workplace().write({ version: 1, platforms: [PLATFORM], accounts: [account] });
    rmSync(workplace().masterKeyFile);
    const error = await rejection(initialise());
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include(masterKey.id).and.include(workplace().masterKeyFile).and.include('restore');
    expect(existsSync(workplace().masterKeyFile)).to.equal(false);
  });

  it('refuses to make a new master key beside a credentials file that it can not read', async () => {
    workplace().write('{');
    rmSync(workplace().masterKeyFile);
    expect(await rejection(initialise())).to.be.instanceOf(CredentialLoadError);
    expect(existsSync(workplace().masterKeyFile)).to.equal(false);
  });

  it('says which file can not be made', async () => {
    writeFileSync(workplace().path('file'), '');
    const file = workplace().path('file/credentials.json');
    const error = await rejection(initialiseFiles(file, workplace().masterKeyFile));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include(file);
  });
});
