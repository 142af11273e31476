import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';

const VAULT = ['--master-key-source', 'vault-transit', '--wrapping-key', 'transit/signing'];

describe('init with a source for the master key', () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.remove());

  const init = (...options: readonly string[]) => place.commandHere('init', ...options);
  const masterKey = (content: string) => writeFileSync(place.path('master.key'), content, { mode: 0o600 });
  /** Any ciphertext: nothing opens it. */
  const wrapped = (wrappingKey: string) => `vault-transit.v1.0123456789abcdef.${wrappingKey}.AAAA\n`;

  it('is refused if an existing master key has another source or wrapping key, and changes nothing', async () => {
    const plain = `${'ab'.repeat(32)}\n`;
    for (const [content, options, present, remedy] of [
      [plain, VAULT, 'file, not vault-transit with wrapping key transit/signing', VAULT.join(' ')],
      [wrapped('transit/signing'), ['--master-key-source', 'file'], 'transit/signing, not file', 'source file.'],
      [wrapped('transit/other'), VAULT, 'transit/other, not vault-transit with wrapping key transit/signing', 'sign'],
    ] as const) {
      masterKey(content);
      const { stdout, stderr, exitCode } = await init(...options);
      expect({ stdout, exitCode }).to.deep.equal({ stdout: '', exitCode: 2 });
      const text = stderr.replaceAll(/\s+/g, ' ');
      expect(text).to.include(`${place.path('master.key')} already has a master key, whose source is `);
      expect(text).to.include(`${present}; nothing was changed.`);
      expect(text).to.include('run signing-service master-key rotate --master-key-source').and.include(remedy);
      expect(text).to.not.include('abababab');
      expect(readdirSync(place.folder)).to.deep.equal(['master.key']);
      expect(readFileSync(place.path('master.key'), 'utf8')).to.equal(content);
    }
  });

  it('is refused if the existing file has no master key', async () => {
    masterKey('nothing');
    const { stderr, exitCode } = await init(...VAULT);
    expect(exitCode).to.equal(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).to.include('line 1 contains no master key');
    expect(readdirSync(place.folder)).to.deep.equal(['master.key']);
    expect(readFileSync(place.path('master.key'), 'utf8')).to.equal('nothing');
  });

  it('succeeds again with the same source, and without the option', async () => {
    masterKey(wrapped('transit/signing'));
    const made = JSON.parse((await init(...VAULT, '--json')).stdout).files;
    expect(made.map(({ created }: { created: boolean }) => created)).to.deep.equal([false, true, true, true]);
    for (const options of [VAULT, []]) expect((await init(...options)).exitCode).to.equal(0);
    expect(readFileSync(place.path('master.key'), 'utf8')).to.equal(wrapped('transit/signing'));
  });

  for (const [setting, source, wrappingKey] of [
    ['SIGNING_GCP_TOKEN_FILE', 'gcp-kms', 'projects/p/locations/l/keyRings/r/cryptoKeys/k'],
    ['SIGNING_AWS_CREDENTIALS_FILE', 'aws-kms', 'arn:aws:kms:eu-west-1:111122223333:alias/signing'],
  ] as const) {
    it(`rejects ${setting} that other users can read, and names the chmod`, async () => {
      const file = place.path('secret');
      writeFileSync(file, 'secret');
      chmodSync(file, 0o644);
      Object.assign(place.environment, { [setting]: file });
      const { stderr, exitCode } = await init('--master-key-source', source, '--wrapping-key', wrappingKey);
      expect(exitCode).to.equal(2);
      expect(stderr.replaceAll(/\s+/g, ' '))
        .to.include(`${setting}: ${file}: other users have access`)
        .and.include(`(its mode is 0644); run \`chmod 600 ${file}\``);
    });
  }

  for (const [options, reason] of [
    [
      ['--passphrase', '--master-key-source', 'file'],
      /'--master-key-source <source>' cannot be used with .*--passphrase/,
    ],
    [['--master-key-source', 'helper'], /--master-key-source helper needs --wrapping-key/],
    [['--wrapping-key', 'transit/signing'], /--wrapping-key needs --master-key-source vault-transit, gcp-kms/],
    [['--master-key-source', 'file', '--wrapping-key', 'k'], /--wrapping-key needs --master-key-source vault-transit/],
  ] as const) {
    it(`refuses ${options.join(' ')}, which contradict each other`, async () => {
      for (const command of [['init'], ['master-key', 'rotate']]) {
        const { stderr, exitCode } = await place.commandHere(...command, ...options);
        expect(exitCode).to.equal(2);
        expect(stderr).to.match(reason);
        expect(readdirSync(place.folder)).to.deep.equal([]);
      }
    });
  }

  it('names every missing setting at once, and no file, if the source is not configured', async () => {
    const sources = [
      ['SIGNING_VAULT_ADDRESS, and SIGNING_VAULT_TOKEN_FILE, SIGNING_VAULT_KUBERNETES_ROLE or', VAULT],
      ['SIGNING_MASTER_KEY_HELPER', ['--master-key-source', 'helper', '--wrapping-key', 'signing']],
      [
        'SIGNING_PKCS11_MODULE, SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_PIN_FILE',
        ['--master-key-source', 'pkcs11', '--wrapping-key', 'signing'],
      ],
    ] as const;
    const refused = async (expected: string, ...args: readonly string[]) => {
      const { stderr, exitCode } = await place.commandHere(...args, '--json');
      expect(exitCode).to.equal(2);
      expect(JSON.parse(stderr).error.message).to.include(expected).and.not.include(place.folder);
    };
    for (const [settings, options] of sources) await refused(settings, 'init', ...options);
    expect(readdirSync(place.folder)).to.deep.equal([]);
    await place.prepare('init');
    for (const [settings, options] of sources) await refused(settings, 'master-key', 'rotate', ...options);
    await refused('must be named as <mount>/<key>', 'master-key', 'rotate', ...VAULT.slice(0, -1), 'signing');
  });
});
