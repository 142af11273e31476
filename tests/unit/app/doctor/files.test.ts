import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { checkFiles } from '../../../../src/app/doctor/files.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import { TEST_CERTIFICATE } from '../../../harness/certificates.ts';

const RIGHT = ['credentials', 'credentials-file', 'master-key', 'audit-file', 'kept-apart'] as const;
const EMPTY = { version: 1, platforms: [], accounts: [] };

describe('checkFiles', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const path = (name: string) => join(folder, name);

  function write(name: string, content: string, mode = 0o600): void {
    mkdirSync(dirname(path(name)), { recursive: true, mode: 0o700 });
    writeFileSync(path(name), content);
    chmodSync(path(name), mode);
  }

  /** Findings by check. */
  async function check(environment: { readonly [name: string]: string } = {}) {
    const findings = await checkFiles(
      readSettings({
        SIGNING_CREDENTIALS_FILE: path('config/credentials.json'),
        SIGNING_MASTER_KEY_FILE: path('secrets/master.key'),
        SIGNING_AUDIT_FILE: path('audit/audit.jsonl'),
        SIGNING_AUDIT_KEY_FILE: path('secrets/audit.key'),
        ...environment,
      }),
    );
    return (name: string) => findings.filter((finding) => finding.check === name);
  }

  function configure(credentials: object = EMPTY): void {
    write('secrets/master.key', 'x'.repeat(32));
    write('secrets/audit.key', 'z'.repeat(32));
    write('config/credentials.json', JSON.stringify(credentials));
    write('audit/audit.jsonl', '');
  }

  const stateOf = (findings: Awaited<ReturnType<typeof check>>, name: string) =>
    findings(name).map(({ state }) => state);

  it('names disabled platforms, up to five of them', async () => {
    const platforms = (count: number, status: string) =>
      Array.from({ length: count }, (_, index) => ({ platformId: `${status}-${index}`, format: 'any', status }));
    const messageWith = async (disabled: number) => {
      configure({ ...EMPTY, platforms: [...platforms(1, 'active'), ...platforms(disabled, 'disabled')] });
      return (await check())('credentials').map(({ state, message }) => `${state} ${message}`);
    };
    expect(await messageWith(0)).to.deep.equal(['ok accounts: 0, platforms: 1']);
    expect(await messageWith(2)).to.deep.equal([
      'ok accounts: 0, platforms: 3, of these disabled: disabled-0, disabled-1',
    ]);
    expect(await messageWith(7)).to.deep.equal([
      'ok accounts: 0, platforms: 8, of these disabled: disabled-0, disabled-1, disabled-2, disabled-3, disabled-4 and 2 more',
    ]);
  });

  it('reports what is missing and which command creates it, and creates nothing', async () => {
    const findings = await check();
    for (const name of ['credentials-file', 'master-key', 'audit-key']) {
      expect(stateOf(findings, name), name).to.deep.equal(['fail']);
      expect(findings(name)[0]?.remedy, name).to.include('signing-service init');
    }
    expect(stateOf(findings, 'audit-file')).to.deep.equal(['ok']);
    expect(findings('previous-master-key')).to.deep.equal([]);
    expect(findings('tls-key-file')).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('accepts valid private files', async () => {
    configure();
    const findings = await check();
    for (const name of [...RIGHT, 'audit-key', 'audit-public-key']) {
      expect(stateOf(findings, name), name).to.deep.equal(['ok']);
    }
    expect(findings('audit-room')[0]?.message).to.include(path('audit'));
  });

  it('warns if the folder of SIGNING_AUDIT_CHECKPOINT_FILE does not exist', async () => {
    configure();
    const findings = await check({ SIGNING_AUDIT_CHECKPOINT_FILE: path('share/checkpoints.jsonl') });
    expect(stateOf(findings, 'audit-checkpoint-file')).to.deep.equal(['warning']);
    expect(findings('audit-checkpoint-file')[0]?.message).to.equal(`the folder ${path('share')} does not exist`);
    mkdirSync(path('share'));
    const created = await check({ SIGNING_AUDIT_CHECKPOINT_FILE: path('share/checkpoints.jsonl') });
    expect(stateOf(created, 'audit-checkpoint-file')).to.deep.equal(['ok']);
    expect((await check())('audit-checkpoint-file')).to.deep.equal([]);
  });

  it('fails for a current or previous master key that others can read', async () => {
    configure();
    write('secrets/master.key.previous', 'y'.repeat(32));
    expect(stateOf(await check(), 'previous-master-key')).to.deep.equal(['ok']);
    for (const file of ['secrets/master.key', 'secrets/master.key.previous']) chmodSync(path(file), 0o640);
    const findings = await check();
    expect(stateOf(findings, 'master-key')).to.deep.equal(['fail']);
    expect(stateOf(findings, 'previous-master-key')).to.deep.equal(['fail']);
  });

  it('fails for an audit key that is missing or readable by others, without reading it', async () => {
    configure();
    chmodSync(path('secrets/audit.key'), 0o640);
    const shared = await check();
    expect(stateOf(shared, 'audit-key')).to.deep.equal(['fail']);
    expect(stateOf(shared, 'audit-public-key')).to.deep.equal([]);
    rmSync(path('secrets/audit.key'));
    const missing = await check();
    expect(stateOf(missing, 'audit-key')).to.deep.equal(['fail']);
    expect(missing('audit-key')[0]?.remedy).to.include('SIGNING_AUDIT_KEY_FILE');
    expect(stateOf(missing, 'audit-public-key')).to.deep.equal([]);
  });

  it('warns about leftovers of a killed rotation, with each file and the command to remove it', async () => {
    configure();
    expect((await check())('leftovers')).to.deep.equal([]);
    const left = ['config/credentials.json.tmp', 'secrets/master.key.tmp', 'secrets/master.key.previous.tmp'];
    for (const file of left) write(file, 'z'.repeat(32));
    const [finding, ...others] = (await check())('leftovers');
    expect([finding?.state, others]).to.deep.equal(['warning', []]);
    for (const file of left) expect(finding?.message).to.include(path(file));
    expect(finding?.remedy).to.include('signing-service master-key retire');
  });

  it('warns about a credentials file that others can read', async () => {
    configure();
    chmodSync(path('config/credentials.json'), 0o644);
    expect(stateOf(await check(), 'credentials-file')).to.deep.equal(['warning']);
  });

  it('accepts a group-readable audit file, but warns about a world-readable one', async () => {
    configure();
    chmodSync(path('audit/audit.jsonl'), 0o640);
    expect(stateOf(await check(), 'audit-file')).to.deep.equal(['ok']);
    chmodSync(path('audit/audit.jsonl'), 0o644);
    expect(stateOf(await check(), 'audit-file')).to.deep.equal(['warning']);
  });

  it('warns about an HTTPS key that others can read', async () => {
    configure();
    write('tls.key', 'x', 0o644);
    const environment = { SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile, SIGNING_TLS_KEY_FILE: path('tls.key') };
    expect(stateOf(await check(environment), 'tls-key-file')).to.deep.equal(['warning']);
    chmodSync(path('tls.key'), 0o600);
    expect(stateOf(await check(environment), 'tls-key-file')).to.deep.equal(['ok']);
  });

  it('fails for an invalid credentials file, with its issue, and continues', async () => {
    configure({ ...EMPTY, platforms: 'hunter2' });
    const findings = await check();
    expect(stateOf(findings, 'credentials')).to.deep.equal(['fail']);
    expect(findings('credentials')[0]?.message).to.include('platforms').and.not.include('hunter2');
    expect(stateOf(findings, 'master-key')).to.deep.equal(['ok']);
  });

  it('fails for a plaintext key that the service would refuse', async () => {
    const key = { plaintext: 'hunter2'.repeat(9) };
    configure({
      ...EMPTY,
      platforms: [{ platformId: 'alpha', format: 'any' }],
      accounts: [{ platformId: 'alpha', accountId: 'one', algorithm: 'eip191', key }],
    });
    const refused = await check();
    expect(stateOf(refused, 'credentials')).to.deep.equal(['fail']);
    expect(refused('credentials')[0]?.message).to.include('SIGNING_ALLOW_PLAINTEXT_KEYS').and.not.include('hunter2');
    expect(stateOf(await check({ SIGNING_ALLOW_PLAINTEXT_KEYS: 'true' }), 'credentials')).to.deep.equal(['ok']);
  });

  it('does not read a master key that is missing or readable by others, and reports it once', async () => {
    configure();
    expect(stateOf(await check(), 'sealed-accounts')).to.deep.equal(['ok']);
    chmodSync(path('secrets/master.key'), 0o640);
    expect(stateOf(await check(), 'sealed-accounts')).to.deep.equal([]);
    rmSync(path('secrets/master.key'));
    expect(stateOf(await check(), 'sealed-accounts')).to.deep.equal([]);
  });

  it('warns about master key and credentials file in one folder', async () => {
    configure();
    const findings = await check({ SIGNING_MASTER_KEY_FILE: path('config/master.key') });
    expect(stateOf(findings, 'kept-apart')).to.deep.equal(['warning']);
  });

  describe('with keys in separate files', () => {
    const account = (accountId: string, key: object) => ({ platformId: 'alpha', accountId, algorithm: 'eip191', key });
    const credentials = {
      ...EMPTY,
      platforms: [{ platformId: 'alpha', format: 'any' }],
      accounts: [
        account('first', { file: 'keys/first.hex', format: 'hex' }),
        account('again', { file: 'keys/first.hex', format: 'hex' }),
        account('second', { file: 'keys/second.json', format: 'keystore', passwordFile: 'keys/second.password' }),
      ],
    };
    const KEY_FILES = ['first.hex', 'second.json', 'second.password'];

    beforeEach(() => {
      configure(credentials);
      for (const file of KEY_FILES) write(`config/keys/${file}`, 'secret');
    });

    it('accepts private files, and counts them in one line', async () => {
      const findings = await check();
      expect(findings('key-files').map(({ message }) => message)).to.deep.equal([
        '3 of 3 key and password files are accessible only to this user',
      ]);
      expect(findings('key-file')).to.deep.equal([]);
    });

    it('warns about each file that others can read, as is common for mounted secrets', async () => {
      chmodSync(path('config/keys/first.hex'), 0o644);
      chmodSync(path('config/keys/second.password'), 0o644);
      const findings = await check();
      expect(stateOf(findings, 'key-file')).to.deep.equal(['warning']);
      expect(stateOf(findings, 'password-file')).to.deep.equal(['warning']);
      expect(findings('key-file')[0]?.message).to.include(path('config/keys/first.hex'));
      expect(findings('key-files')[0]?.message).to.match(/^1 of 3 /);
    });

    it('names the first of many missing files, and the number of others', async () => {
      const accounts = Array.from({ length: 200 }, (_, index) => account(`a${index}`, { file: `gone/${index}.hex` }));
      configure({ ...credentials, accounts });
      const findings = await check();
      expect(findings('key-file').map(({ message }) => message)).to.deep.equal(
        [0, 1, 2, 3, 4].map((index) => `${path(`config/gone/${index}.hex`)} does not exist`),
      );
      expect(findings('key-files').map(({ state, message }) => [state, message])).to.deep.equal([
        ['fail', '195 more of 200 key and password files have issues'],
      ]);
    });

    it('fails for a missing file', async () => {
      rmSync(path('config/keys/second.json'));
      expect((await check())('key-file')[0]).to.deep.include({
        state: 'fail',
        message: `${path('config/keys/second.json')} does not exist`,
      });
    });
  });
});
