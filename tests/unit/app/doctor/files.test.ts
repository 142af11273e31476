import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { checkFiles } from '../../../../src/app/doctor/files.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import { TEST_CERTIFICATE } from '../../../harness/certificates.ts';

const EMPTY = { version: 1, platforms: [], accounts: [] };

describe('checkFiles', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-files-'));
    configure();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const path = (name: string) => join(folder, name);

  function write(name: string, content: string, mode = 0o600): void {
    mkdirSync(dirname(path(name)), { recursive: true, mode: 0o700 });
    writeFileSync(path(name), content);
    chmodSync(path(name), mode);
  }

  function configure(credentials: object = EMPTY): void {
    write('secrets/master.key', 'x'.repeat(32));
    write('secrets/audit.key', 'z'.repeat(32));
    write('config/credentials.json', JSON.stringify(credentials));
  }

  /** Findings of a check. */
  async function find(name: string, environment: { readonly [name: string]: string } = {}) {
    const findings = await checkFiles(
      readSettings({
        SIGNING_CREDENTIALS_FILE: path('config/credentials.json'),
        SIGNING_MASTER_KEY_FILE: path('secrets/master.key'),
        SIGNING_AUDIT_FILE: path('audit/audit.jsonl'),
        SIGNING_AUDIT_KEY_FILE: path('secrets/audit.key'),
        ...environment,
      }),
    );
    return findings.filter(({ check }) => check === name);
  }

  const statesOf = async (...call: Parameters<typeof find>) => (await find(...call)).map(({ state }) => state);

  it('names disabled platforms, up to five of them', async () => {
    const messageWith = async (count: number) => {
      const platforms = Array.from({ length: count }, (_, index) => {
        return { platformId: `off-${index}`, format: 'any', status: 'disabled' };
      });
      configure({ ...EMPTY, platforms: [{ platformId: 'on', format: 'any' }, ...platforms] });
      return (await find('credentials')).map(({ state, message }) => `${state} ${message}`);
    };
    expect(await messageWith(0)).to.deep.equal(['ok accounts: 0, platforms: 1']);
    expect(await messageWith(7)).to.deep.equal([
      'ok accounts: 0, platforms: 8, of these disabled: off-0, off-1, off-2, off-3, off-4 and 2 more',
    ]);
  });

  it('warns if the folder of SIGNING_AUDIT_CHECKPOINT_FILE does not exist', async () => {
    const environment = { SIGNING_AUDIT_CHECKPOINT_FILE: path('share/checkpoints.jsonl') };
    expect((await find('audit-checkpoint-file', environment))[0]).to.include({
      state: 'warning',
      message: `the folder ${path('share')} does not exist`,
    });
    mkdirSync(path('share'));
    expect(await statesOf('audit-checkpoint-file', environment)).to.deep.equal(['ok']);
    expect(await statesOf('audit-checkpoint-file')).to.deep.equal([]);
  });

  /** What it is to each file that others can read. */
  const shared = [
    ['secrets/master.key', 'master-key', 'fail'],
    ['secrets/audit.key', 'audit-key', 'fail'],
    ['config/credentials.json', 'credentials-file', 'warning'],
  ] as const;
  for (const [file, check, state] of shared) {
    it(`${state === 'fail' ? 'fails for' : 'warns about'} ${file} if others can read it`, async () => {
      expect(await statesOf(check)).to.deep.equal(['ok']);
      chmodSync(path(file), 0o640);
      expect(await statesOf(check)).to.deep.equal([state]);
    });
  }

  it('warns about an HTTPS key that others can read', async () => {
    write('tls.key', 'x', 0o644);
    const environment = { SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile, SIGNING_TLS_KEY_FILE: path('tls.key') };
    expect(await statesOf('tls-key-file', environment)).to.deep.equal(['warning']);
    expect(await statesOf('tls-key-file')).to.deep.equal([]);
  });

  for (const [check, file, dependent] of [
    ['master-key', 'secrets/master.key', 'sealed-accounts'],
    ['audit-key', 'secrets/audit.key', 'audit-public-key'],
  ] as const) {
    it(`does not read ${file} if it is missing or others can read it, and reports it once`, async () => {
      expect(await statesOf(dependent)).to.deep.equal(['ok']);
      chmodSync(path(file), 0o640);
      expect(await statesOf(dependent)).to.deep.equal([]);
      rmSync(path(file));
      expect(await statesOf(dependent)).to.deep.equal([]);
      expect(await statesOf(check)).to.deep.equal(['fail']);
    });
  }

  it('fails for an invalid credentials file, with its issue but no value, and continues', async () => {
    configure({ ...EMPTY, platforms: 'hunter2' });
    const [finding] = await find('credentials');
    expect(finding?.state).to.equal('fail');
    expect(finding?.message).to.include('platforms').and.not.include('hunter2');
    expect(await statesOf('master-key')).to.deep.equal(['ok']);
  });

  it('accepts a plaintext key only if the service does', async () => {
    const account = { platformId: 'alpha', accountId: 'one', algorithm: 'eip191', key: { plaintext: '1'.repeat(64) } };
    configure({ ...EMPTY, platforms: [{ platformId: 'alpha', format: 'any' }], accounts: [account] });
    expect(await statesOf('credentials')).to.deep.equal(['fail']);
    expect(await statesOf('credentials', { SIGNING_ALLOW_PLAINTEXT_KEYS: 'true' })).to.deep.equal(['ok']);
  });

  it('checks permissions and policies of a valid credentials file', async () => {
    configure({ ...EMPTY, permissions: [] });
    expect(await statesOf('permissions')).to.deep.equal(['warning']);
    expect(await statesOf('policies')).to.deep.equal(['ok']);
  });

  it('warns about master key and credentials file in one folder', async () => {
    expect(await statesOf('kept-apart')).to.deep.equal(['ok']);
    const together = { SIGNING_MASTER_KEY_FILE: path('config/master.key') };
    expect(await statesOf('kept-apart', together)).to.deep.equal(['warning']);
  });

  describe('with keys in separate files', () => {
    const account = (accountId: string, key: object) => ({ platformId: 'alpha', accountId, algorithm: 'eip191', key });
    const withAccounts = (...accounts: readonly object[]) => ({
      ...{ ...EMPTY, platforms: [{ platformId: 'alpha', format: 'any' }], accounts },
    });

    beforeEach(() => {
      configure(
        withAccounts(
          account('first', { file: 'keys/first.hex', format: 'hex' }),
          account('again', { file: 'keys/first.hex', format: 'hex' }),
          account('second', { file: 'keys/second.json', format: 'keystore', passwordFile: 'keys/second.password' }),
        ),
      );
      for (const file of ['first.hex', 'second.json', 'second.password']) write(`config/keys/${file}`, 'secret');
    });

    it('counts private files in one line, and warns about each that others can read', async () => {
      const messages = async () => (await find('key-files')).map(({ message }) => message);
      expect(await messages()).to.deep.equal([
        '3 of 3 key and password files are accessible only to this user; none was opened',
      ]);
      chmodSync(path('config/keys/first.hex'), 0o644);
      chmodSync(path('config/keys/second.password'), 0o644);
      expect((await find('key-file'))[0]?.message).to.include(path('config/keys/first.hex'));
      expect(await statesOf('password-file')).to.deep.equal(['warning']);
      expect((await messages())[0]).to.match(/^1 of 3 /);
    });

    it('names the first of many missing files, and the number of others', async () => {
      const gone = Array.from({ length: 200 }, (_, index) => account(`a${index}`, { file: `gone/${index}.hex` }));
      configure(withAccounts(...gone));
      expect((await find('key-file')).map(({ state, message }) => [state, message])).to.deep.equal(
        [0, 1, 2, 3, 4].map((index) => ['fail', `${path(`config/gone/${index}.hex`)} does not exist`]),
      );
      expect((await find('key-files')).map(({ state, message }) => [state, message])).to.deep.equal([
        ['fail', '195 more of 200 key and password files have issues'],
      ]);
    });
  });
});
