import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { TEST_CERTIFICATE } from '../../../harness/certificates.ts';
import { useConfiguration } from './use-configuration.ts';

describe('doctor, of files', () => {
  const { path, write, configure, find, states } = useConfiguration();

  it('warns if the folder of SIGNING_AUDIT_CHECKPOINT_FILE does not exist', async () => {
    const environment = { SIGNING_AUDIT_CHECKPOINT_FILE: path('share/checkpoints.jsonl') };
    expect((await find('audit-checkpoint-file', environment))[0]).to.include({
      state: 'warning',
      message: `the folder ${path('share')} does not exist`,
    });
    mkdirSync(path('share'));
    expect(await states('audit-checkpoint-file', environment)).to.deep.equal(['ok']);
    expect(await states('audit-checkpoint-file')).to.deep.equal([]);
  });

  /** What it is to each file that others can read. */
  const shared = [
    ['secrets/master.key', 'master-key', 'fail'],
    ['secrets/audit.key', 'audit-key', 'fail'],
    ['config/credentials.json', 'credentials-file', 'warning'],
  ] as const;
  for (const [file, check, state] of shared) {
    it(`${state === 'fail' ? 'fails for' : 'warns about'} ${file} if others can read it`, async () => {
      expect(await states(check)).to.deep.equal(['ok']);
      chmodSync(path(file), 0o640);
      expect(await states(check)).to.deep.equal([state]);
    });
  }

  it('warns about an HTTPS key that others can read', async () => {
    write('tls.key', 'x', 0o644);
    const environment = { SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile, SIGNING_TLS_KEY_FILE: path('tls.key') };
    expect(await states('tls-key-file', environment)).to.deep.equal(['warning']);
    expect(await states('tls-key-file')).to.deep.equal([]);
  });

  for (const [check, file, dependent] of [
    ['master-key', 'secrets/master.key', 'sealed-accounts'],
    ['audit-key', 'secrets/audit.key', 'audit-public-key'],
  ] as const) {
    it(`does not read ${file} if it is missing or others can read it, and reports it once`, async () => {
      expect(await states(dependent)).to.deep.equal(['ok']);
      chmodSync(path(file), 0o640);
      expect(await states(dependent)).to.deep.equal([]);
      rmSync(path(file));
      expect(await states(dependent)).to.deep.equal([]);
      expect(await states(check)).to.deep.equal(['fail']);
    });
  }

  it('names disabled platforms, up to five of them', async () => {
    const messageWith = async (count: number) => {
      const platforms = Array.from({ length: count }, (_, index) => {
        return { platformId: `off-${index}`, format: 'any', status: 'disabled' };
      });
      configure({ platforms: [{ platformId: 'on', format: 'any' }, ...platforms] });
      return (await find('credentials')).map(({ state, message }) => `${state} ${message}`);
    };
    expect(await messageWith(0)).to.deep.equal(['ok accounts: 0, platforms: 1']);
    expect(await messageWith(7)).to.deep.equal([
      'ok accounts: 0, platforms: 8, of these disabled: off-0, off-1, off-2, off-3, off-4 and 2 more',
    ]);
  });

  it('fails for an invalid credentials file, with its issue but no value, and continues', async () => {
    configure({ platforms: 'hunter2' });
    const [finding] = await find('credentials');
    expect(finding?.state).to.equal('fail');
    expect(finding?.message).to.include('platforms').and.not.include('hunter2');
    expect(await states('permissions')).to.deep.equal([]);
    expect(await states('callers')).to.deep.equal(['ok']);
  });

  it('accepts a plaintext key only if the service does', async () => {
    const account = { platformId: 'alpha', accountId: 'one', algorithm: 'eip191', key: { plaintext: '1'.repeat(64) } };
    configure({ platforms: [{ platformId: 'alpha', format: 'any' }], accounts: [account] });
    expect(await states('credentials')).to.deep.equal(['fail']);
    expect(await states('credentials', { SIGNING_ALLOW_PLAINTEXT_KEYS: 'true' })).to.deep.equal(['ok']);
  });

  it('warns about master key and credentials file in one folder', async () => {
    expect(await states('kept-apart')).to.deep.equal(['ok']);
    const together = { SIGNING_MASTER_KEY_FILE: path('config/master.key') };
    expect(await states('kept-apart', together)).to.deep.equal(['warning']);
  });

  describe('with keys in separate files', () => {
    const platforms = [{ platformId: 'alpha', format: 'any' }];
    const account = (accountId: string, key: object) => ({ platformId: 'alpha', accountId, algorithm: 'eip191', key });

    beforeEach(() => {
      const accounts = [
        account('first', { file: 'keys/first.hex', format: 'hex' }),
        account('again', { file: 'keys/first.hex', format: 'hex' }),
        account('second', { file: 'keys/second.json', format: 'keystore', passwordFile: 'keys/second.password' }),
      ];
      configure({ platforms, accounts });
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
      expect(await states('password-file')).to.deep.equal(['warning']);
      expect((await messages())[0]).to.match(/^1 of 3 /);
    });

    it('names the first of many missing files, and the number of others', async () => {
      const accounts = Array.from({ length: 200 }, (_, index) => account(`a${index}`, { file: `gone/${index}.hex` }));
      configure({ platforms, accounts });
      expect((await find('key-file')).map(({ state, message }) => [state, message])).to.deep.equal(
        [0, 1, 2, 3, 4].map((index) => ['fail', `${path(`config/gone/${index}.hex`)} does not exist`]),
      );
      expect((await find('key-files')).map(({ state, message }) => [state, message])).to.deep.equal([
        ['fail', '195 more of 200 key and password files have issues'],
      ]);
    });
  });
});
