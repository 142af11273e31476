import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { wrapInEnvelope } from '../../../../../src/adapters/credentials/master-key/envelope-source.ts';
import { MasterKey } from '../../../../../src/adapters/credentials/master-key/master-key.ts';
import { formatEnvelope } from '../../../../../src/adapters/credentials/master-key/master-key-envelope.ts';
import { PassphraseDialog } from '../../../../../src/adapters/credentials/master-key/passphrase-dialog.ts';
import { MasterKeyFileSource } from '../../../../../src/adapters/credentials/master-key/stored-key-sources.ts';
import {
  MIN_PASSPHRASE_COST,
  wrapMasterKey,
} from '../../../../../src/adapters/credentials/master-key/wrapped-master-key.ts';
import { createWrappingKeyLoader } from '../../../../../src/adapters/credentials/wrapping-keys/wrapping-key-loader.ts';
import { KeyFileError } from '../../../../../src/adapters/key-files/secret-file.ts';
import { readSettings } from '../../../../../src/app/settings/settings.ts';
import { EditRefusedError } from '../../../../../src/domain/model/errors.ts';
import {
  describeMasterKeySourceContract,
  type MasterKeySourceHarness,
} from '../../../../contracts/master-key-source-contract.ts';
import { FixedWrappingKey } from '../../../../doubles/fixed-wrapping-key.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';

const PASSPHRASE = 'correct horse battery';

function masterKeyOf(bytes: Buffer): MasterKey {
  return MasterKey.fill((key) => bytes.copy(key));
}

/** A source of a file with that content; `spoil` replaces the content. */
function fileHarness(
  makeContent: (key: Buffer) => string | Buffer,
  fileIn: (folder: string) => string = (folder) => join(folder, 'master.key'),
): () => Promise<MasterKeySourceHarness> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'source-'));
    const file = fileIn(folder);
    const key = randomBytes(32);
    writeFileSync(file, makeContent(key), { mode: 0o600 });
    const dialog = new PassphraseDialog(new TypedPassphrases(PASSPHRASE));
    return {
      source: new MasterKeyFileSource(file, { dialog, load: createWrappingKeyLoader() }),
      key,
      spoil: async () => {
        writeFileSync(file, 'damaged');
        return file;
      },
      dispose: async () => {
        dialog.close();
        rmSync(folder, { recursive: true });
      },
    };
  };
}

describeMasterKeySourceContract(
  'file of 32 bytes',
  fileHarness((key) => key),
);
describeMasterKeySourceContract(
  'credential that systemd injects',
  fileHarness(
    (key) => key,
    (folder) => {
      mkdirSync(join(folder, 'credentials'));
      const file = join(folder, 'credentials', 'master-key');
      writeFileSync(file, '', { mode: 0o600 });
      return readSettings({ CREDENTIALS_DIRECTORY: join(folder, 'credentials') }).masterKeyFile;
    },
  ),
);
describeMasterKeySourceContract(
  'file with a passphrase',
  fileHarness((bytes) => {
    const key = masterKeyOf(bytes);
    try {
      return wrapMasterKey(key, Buffer.from(PASSPHRASE), MIN_PASSPHRASE_COST);
    } finally {
      key.destroy();
    }
  }),
);
describeMasterKeySourceContract('envelope', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'source-'));
  const file = join(folder, 'master.key');
  const bytes = randomBytes(32);
  const wrappingKey = new FixedWrappingKey();
  const load = async () => wrappingKey;
  const key = masterKeyOf(bytes);
  writeFileSync(file, await wrapInEnvelope(key, { source: 'vault-transit', wrappingKey: 'transit/k' }, load), {
    mode: 0o600,
  });
  key.destroy();
  const dialog = new PassphraseDialog(new TypedPassphrases());
  return {
    source: new MasterKeyFileSource(file, { dialog, load }),
    key: bytes,
    spoil: async () => {
      wrappingKey.unavailable = 'Vault at https://vault.example: permission denied';
      return `${file}: Vault at https://vault.example`;
    },
    dispose: async () => rmSync(folder, { recursive: true }),
  };
});
describe('An envelope', () => {
  const ID = '0123456789abcdef';
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'envelope-'));
    file = join(folder, 'master.key');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function failure(text: string, decrypted = randomBytes(32)): Promise<string> {
    writeFileSync(file, text, { mode: 0o600 });
    const wrappingKey = new FixedWrappingKey();
    wrappingKey.decrypted = decrypted;
    const dialog = new PassphraseDialog(new TypedPassphrases());
    const source = new MasterKeyFileSource(file, { dialog, load: async () => wrappingKey });
    const error = await source.open(() => expect.fail('It should not open.')).catch((reason: unknown) => reason);
    if (!(error instanceof KeyFileError)) throw error;
    return error.message;
  }

  const envelope = { source: 'vault-transit', id: ID, wrappingKey: 'transit/k', ciphertext: randomBytes(60) } as const;

  it('is rejected if the service decrypts another key than it names, or another length', async () => {
    expect(await failure(formatEnvelope(envelope))).to.include(`another master key than ${ID}`);
    expect(await failure(formatEnvelope(envelope), randomBytes(31))).to.include('to 31 bytes');
  });

  it('is not made if it would not open again', async () => {
    const wrappingKey = new FixedWrappingKey();
    wrappingKey.decrypted = randomBytes(32);
    const key = MasterKey.generate();
    const protection = { source: 'vault-transit', wrappingKey: 'transit/k' } as const;
    const error = await wrapInEnvelope(key, protection, async () => wrappingKey).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(EditRefusedError).with.property('message').that.includes('another master key');
    key.destroy();
  });

  it('is rejected if it is malformed, before any service is called', async () => {
    const good = formatEnvelope(envelope);
    for (const text of [
      ...[good.replace('.v1.', '.v2.'), good.replace(ID, 'x'), `${good}=`, good.slice(0, 30)],
      ...[good.replace('transit/k', 'transit'), good.replace('vault-transit', 'aws-kms')],
    ]) {
      expect(await failure(text), text).to.include('it contains no master key');
    }
  });

  it('names the form of a wrapping key that its source does not accept', async () => {
    const key = MasterKey.generate();
    for (const [source, wrappingKey, form] of [
      ['vault-transit', 'transit/../sys/seal', '<mount>/<key>'],
      ['gcp-kms', 'projects/p', 'projects/<project>'],
      ['aws-kms', 'arn:aws:kms:eu-west-1:1:key/x', 'the ARN'],
    ] as const) {
      const wrapped = wrapInEnvelope(key, { source, wrappingKey }, async () => new FixedWrappingKey());
      const error = await wrapped.catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(EditRefusedError).with.property('message').that.includes(form);
    }
    key.destroy();
  });
});
