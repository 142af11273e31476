import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { initialiseFiles } from '../../../../../src/adapters/credentials/editor/initialise-files.ts';
import { Keyring } from '../../../../../src/adapters/credentials/keyring/keyring.ts';
import { MIN_PASSPHRASE_COST } from '../../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import { CredentialLoadError, OperatorError } from '../../../../../src/domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../../../src/domain/model/master-key-rotation.ts';
import { FixedWrappingKeys } from '../../../../doubles/fixed-wrapping-keys.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { rejection, useWorkplace } from '../credentials-workplace.ts';

const PLATFORM = { platformId: 'alpha', format: 'A' };
const IDENTITY = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519', publicKey: 'Pub' } as const;

describe('initialiseFiles', () => {
  const workplace = useWorkplace();
  const initialise = (
    file = workplace().file,
    masterKeyFile = workplace().masterKeyFile,
    wanted: MasterKeyProtection | null = null,
    { prompt = new TypedPassphrases(), wrappingKeys = new FixedWrappingKeys() } = {},
  ) => {
    const vault = async () => workplace().vault;
    const parts = { file: masterKeyFile, vault, prompt, wrappingKeys, cost: MIN_PASSPHRASE_COST };
    return initialiseFiles(file, new Keyring(parts), wanted);
  };

  it('creates both files with mode 600 in new folders with mode 700', async () => {
    const [file, masterKeyFile] = [
      workplace().path('new/config/credentials.json'),
      workplace().path('secret/master.key'),
    ];
    expect(await initialise(file, masterKeyFile)).to.deep.equal({ masterKey: true, credentials: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal({ version: 1, platforms: [], accounts: [] });
    expect(readFileSync(masterKeyFile, 'utf8')).to.match(/^[0-9a-f]{64}\n$/);
    for (const made of [file, masterKeyFile]) expect(statSync(made).mode & 0o7777).to.equal(0o600);
    for (const folder of ['new', 'new/config', 'secret']) {
      expect(statSync(workplace().path(folder)).mode & 0o7777).to.equal(0o700);
    }
  });

  describe('with a wrapping key', () => {
    const WRAPPED = { source: 'vault-transit', wrappingKey: 'transit/k' } as const;

    it('writes only the wrapped master key', async () => {
      await initialise(workplace().file, workplace().path('wrapped.key'), WRAPPED);
      const text = readFileSync(workplace().path('wrapped.key'), 'utf8');
      expect(text).to.match(/^vault-transit\.v1\.[0-9a-f]{16}\.transit\/k\.[\w-]{80}\n$/);
    });

    it('is not made if it would not open again', async () => {
      const wrappingKeys = new FixedWrappingKeys();
      wrappingKeys.decrypted = Buffer.alloc(32, 1);
      const masterKeyFile = workplace().path('wrapped.key');
      const error = await rejection(initialise(workplace().file, masterKeyFile, WRAPPED, { wrappingKeys }));
      expect(error).to.be.instanceOf(OperatorError).with.property('message').that.includes('another master key');
      expect(existsSync(masterKeyFile)).to.equal(false);
    });

    it('names the form of a wrapping key that its source does not accept', async () => {
      for (const [source, wrappingKey, form] of [
        ['vault-transit', 'transit/../sys/seal', '<mount>/<key>'],
        ['gcp-kms', 'projects/p', 'projects/<project>'],
        ['aws-kms', 'arn:aws:kms:eu-west-1:1:key/x', 'the ARN'],
      ] as const) {
        const error = await rejection(
          initialise(workplace().file, workplace().path('wrapped.key'), { source, wrappingKey }),
        );
        expect(error).to.be.instanceOf(OperatorError).with.property('message').that.includes(form);
      }
    });

    it('creates nothing if the service refuses', async () => {
      const wrappingKeys = new FixedWrappingKeys();
      wrappingKeys.unavailable = 'Vault at https://vault.example: permission denied.';
      const [file, masterKeyFile] = [workplace().path('new/credentials.json'), workplace().path('new/master.key')];
      const error = await rejection(initialise(file, masterKeyFile, WRAPPED, { wrappingKeys }));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.equal(
        'A new master key cannot be created: Vault at https://vault.example: permission denied. Nothing was changed.',
      );
      expect(existsSync(workplace().path('new'))).to.equal(false);
    });
  });

  describe('with a passphrase', () => {
    const PASSPHRASE = 'correct horse battery';
    const withPassphrase = (masterKeyFile: string, ...lines: readonly string[]) => {
      const prompt = new TypedPassphrases(...lines);
      const made = initialise(workplace().file, masterKeyFile, { source: 'passphrase' }, { prompt });
      return { prompt, made };
    };

    it('does not prompt if a master key exists, and leaves it unchanged', async () => {
      const before = readFileSync(workplace().masterKeyFile, 'hex');
      const { made, prompt } = withPassphrase(workplace().masterKeyFile, PASSPHRASE, PASSPHRASE);
      expect(await made).to.deep.equal({ masterKey: false, credentials: true });
      expect(prompt.questions).to.deep.equal([]);
      expect(readFileSync(workplace().masterKeyFile, 'hex')).to.equal(before);
    });

    it('overwrites nothing that another process creates during the prompt', async () => {
      const masterKeyFile = workplace().path('other.key');
      const prompt = new TypedPassphrases(PASSPHRASE, PASSPHRASE);
      const ask = prompt.readPassphrase.bind(prompt);
      prompt.readPassphrase = async (question) => {
        writeFileSync(masterKeyFile, 'of the other process');
        return ask(question);
      };
      const error = await rejection(initialise(workplace().file, masterKeyFile, { source: 'passphrase' }, { prompt }));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.include('Another process created').and.include('Run the command again');
      expect(readFileSync(masterKeyFile, 'utf8')).to.equal('of the other process');
    });

    it('creates nothing if no acceptable passphrase is entered', async () => {
      const masterKeyFile = workplace().path('secret/wrapped.key');
      const error = await rejection(withPassphrase(masterKeyFile, PASSPHRASE).made);
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.include(masterKeyFile).and.include('none is available');
      expect(existsSync(workplace().path('secret'))).to.equal(false);
      expect(existsSync(workplace().file)).to.equal(false);
    });
  });

  it('creates files despite what a killed command left, and then leaves them unchanged in their folder', async () => {
    const folder = workplace().path('config');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const [file, masterKeyFile] = [`${folder}/credentials.json`, `${folder}/master.key`];
    mkdirSync(`${masterKeyFile}.tmp`);
    writeFileSync(`${masterKeyFile}.lock`, 'junk', { mode: 0o644 });
    const contents = () => [file, masterKeyFile].map((path) => readFileSync(path, 'hex'));
    await initialise(file, masterKeyFile);
    const before = contents();
    const found = { masterKey: false, credentials: false };
    expect(await initialise(file, masterKeyFile)).to.deep.equal(found);
    expect(contents()).to.deep.equal(before);
    expect(statSync(folder).mode & 0o7777).to.equal(0o755);
  });

  it('creates a new master key for a credentials file without sealed keys', async () => {
    workplace().write({ version: 1, platforms: [PLATFORM], accounts: [] });
    rmSync(workplace().masterKeyFile);
    expect(await initialise()).to.deep.equal({ masterKey: true, credentials: false });
  });

  it('refuses to create a new master key if sealed keys need another, and names the missing one', async () => {
    const { masterKey } = workplace();
    const account = { ...IDENTITY, key: { sealed: workplace().seal(IDENTITY, Buffer.alloc(32, 1)) } };
    workplace().write({ version: 1, platforms: [PLATFORM], accounts: [account] });
    rmSync(workplace().masterKeyFile);
    const error = await rejection(initialise());
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include(masterKey.id).and.include(workplace().masterKeyFile).and.include('restore');
    expect(existsSync(workplace().masterKeyFile)).to.equal(false);
  });

  it('reports an invalid file at the path of the credentials file, and creates nothing', async () => {
    workplace().write({ name: 'package' });
    const masterKeyFile = workplace().path('another.key');
    for (const masterKey of [workplace().masterKeyFile, masterKeyFile]) {
      const error = await rejection(initialise(workplace().file, masterKey));
      expect(error).to.be.instanceOf(CredentialLoadError);
      expect(error.message).to.include(workplace().file).and.include('version: must be 1');
    }
    expect(existsSync(masterKeyFile)).to.equal(false);
  });

  it('finds sealed keys, and plaintext keys even if not allowed', async () => {
    const sealed = { ...IDENTITY, key: { sealed: workplace().seal(IDENTITY, Buffer.alloc(32, 1)) } };
    const plain = { ...IDENTITY, accountId: 'plain', key: { plaintext: 'x' } };
    workplace().write({ version: 1, platforms: [PLATFORM], accounts: [sealed, plain] });
    expect(await initialise()).to.deep.equal({ masterKey: false, credentials: false });
  });

  it('reports a master key file that a killed command left empty, and creates nothing', async () => {
    writeFileSync(workplace().masterKeyFile, '');
    const error = await rejection(initialise());
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include(`${workplace().masterKeyFile}: it is empty`);
    expect(existsSync(workplace().file)).to.equal(false);
  });

  for (const which of ['file', 'masterKeyFile'] as const) {
    it(`reports a dangling symbolic link at the path of the ${which}, and creates nothing`, async () => {
      const paths = { file: workplace().path('new.json'), masterKeyFile: workplace().path('new.key') };
      symlinkSync(workplace().path('nowhere'), paths[which]);
      const error = await rejection(initialise(paths.file, paths.masterKeyFile));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.equal(
        `${paths[which]} is a symbolic link to a file that does not exist; nothing was created. Restore that file, or remove the link.`,
      );
      for (const file of [paths.file, paths.masterKeyFile, workplace().path('nowhere')]) {
        expect(existsSync(file)).to.equal(false);
      }
    });
  }

  it('reports folders that the system cannot create, and creates nothing', async () => {
    writeFileSync(workplace().path('file'), '');
    symlinkSync('nowhere', workplace().path('link'));
    for (const [file, masterKeyFile] of [
      [workplace().path('link/credentials.json'), workplace().path('new/master.key')],
      [workplace().path('new/credentials.json'), '/proc/nope/below/master.key'],
      [workplace().path('file/credentials.json'), workplace().path('new/master.key')],
    ] as const) {
      const error = await rejection(initialise(file, masterKeyFile));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.match(
        /^\/\S+: .*; nothing was created\.$|^\/\S+ is a symbolic link .*; nothing was created\./,
      );
      expect(existsSync(workplace().path('new'))).to.equal(false);
    }
  });
});
