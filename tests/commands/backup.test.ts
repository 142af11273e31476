import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { ALPHA } from '../harness/use-workplace.ts';

const KEYS = ['--master-key', 'keys-apart', '--audit-key', 'audit-apart'];
const REQUEST = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

/** Contents of all files below a folder, by path. */
function contentsOf(folder: string): { readonly [path: string]: string } {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  );
}

/** An installation, its backup, and an empty place to restore it to. */
class Places {
  readonly old = new Workplace();
  readonly empty = new Workplace();
  readonly backup = this.old.path('backup');

  /** Options of both private keys. */
  readonly keys = KEYS.map((word) => (word.startsWith('--') ? word : this.old.path(word)));

  async prepare(): Promise<void> {
    await this.old.prepare('init');
    for (const line of ALPHA) await this.old.prepare(...line.split(' '));
  }

  /** Changes a file of the backup. */
  edit(name: string, change: (text: string) => string): void {
    const file = join(this.backup, name);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }

  /** A restore that has to be refused before it writes; returns its message. */
  async refusal(...options: readonly string[]): Promise<string> {
    const before = contentsOf(this.empty.folder);
    const { exitCode, stderr } = await this.empty.commandHere('restore', this.backup, ...options);
    expect(exitCode, stderr).to.equal(2);
    expect(contentsOf(this.empty.folder)).to.deep.equal(before);
    return stderr;
  }

  async remove(): Promise<void> {
    await this.old.remove();
    await this.empty.remove();
  }
}

describe('A backup', () => {
  let places: Places;

  beforeEach(async () => {
    places = new Places();
    await places.prepare();
  });
  afterEach(() => places.remove());

  it('with its private keys restores a service that signs with the same keys and continues no audit log', async () => {
    const { old, empty, backup, keys } = places;
    const publicKeyOf = async (place: Workplace) => {
      const service = await place.startHere();
      const { body } = await service.post('/sign', REQUEST);
      await service.stop();
      return body.data['publicKey'];
    };
    const before = await publicKeyOf(old);
    await old.prepare('backup', backup, ...keys);
    const printed = await empty.prepare('restore', backup, ...keys);
    expect(printed)
      .to.match(/^master key file +\S+\/master\.key$/m)
      .and.include('`signing-service account list`');
    expect(existsSync(empty.path('audit.jsonl'))).to.equal(false);
    expect(await publicKeyOf(empty)).to.equal(before);
    await empty.prepare('audit', 'verify');
  });

  it('warns of keys that are in it in plaintext', async () => {
    const { old, backup } = places;
    const file = old.path('credentials.json');
    const credentials = JSON.parse(readFileSync(file, 'utf8'));
    const key = { plaintext: '11'.repeat(32) };
    credentials.accounts.push({ platformId: 'alpha', accountId: 'plain', algorithm: 'ed25519', key });
    writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
    expect(await old.prepare('backup', backup)).to.include(
      'warning: accounts whose key is in the backup in plaintext: 1',
    );
  });

  it('contains no secret, is only for its user, and names what it leaves out', async () => {
    const { old, backup } = places;
    writeFileSync(old.path('redis.password'), 'hunter2');
    writeFileSync(old.path('tls.key'), 'private');
    writeFileSync(old.path('tls.crt'), 'public');
    Object.assign(old.environment, {
      SIGNING_REDIS_URL: 'redis://:s3cret-word@127.0.0.1:1',
      SIGNING_TLS_CERT_FILE: old.path('tls.crt'),
      SIGNING_TLS_KEY_FILE: old.path('tls.key'),
      SIGNING_VAULT_ADDRESS: 'https://vault.example',
      SIGNING_VAULT_TOKEN_FILE: old.path('vault.token'),
    });
    const file = old.path('credentials.json');
    const credentials = JSON.parse(readFileSync(file, 'utf8'));
    const account = { platformId: 'alpha', accountId: 'mounted', algorithm: 'ed25519', key: { file: 'mounted.key' } };
    credentials.accounts.push(account);
    writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
    const { leftOut } = JSON.parse(await old.prepare('backup', backup, '--json'));
    const names = ['tls.key', 'tls.crt', 'vault.token', 'master.key', 'audit.key', 'audit.jsonl', 'mounted.key'].map(
      (name) => old.path(name),
    );
    expect(leftOut.map(({ path }: { path: string }) => path)).to.have.members(names);
    const contents = contentsOf(backup);
    const secrets = [
      's3cret-word',
      ...['master.key', 'audit.key'].map((name) => readFileSync(old.path(name), 'utf8').trim()),
    ];
    for (const secret of secrets) expect(Object.values(contents).join()).to.not.include(secret);
    expect(contents[join(backup, 'settings.env')]).to.include("SIGNING_REDIS_URL='redis://:***@127.0.0.1:1/0'\n");
    expect(new Set(Object.keys(contents).map((path) => statSync(path).mode & 0o777))).to.deep.equal(new Set([0o600]));
    expect(statSync(backup).mode & 0o777).to.equal(0o700);
  });

  it('takes public files to where the present settings have them', async () => {
    const { old, empty, backup } = places;
    const authority = ['--authority-key-file', old.path('authority.key')];
    const set = (place: Workplace, name: string, value: string) => {
      place.environment[name] = place.path(value);
    };
    set(old, 'SIGNING_AUTH_AUTHORITIES_FILE', 'authorities');
    set(old, 'SIGNING_TLS_CLIENT_CA_FILE', 'ca.pem');
    set(old, 'SIGNING_TLS_CERT_FILE', 'tls.crt');
    set(old, 'SIGNING_TLS_KEY_FILE', 'tls.key');
    await old.prepare('token', 'authority', ...authority);
    writeFileSync(old.path('ca.pem'), 'a certificate');
    await old.prepare('backup', backup);
    set(empty, 'SIGNING_AUTH_AUTHORITIES_FILE', 'elsewhere/authorities');
    const printed = await empty.prepare('restore', backup);
    expect(readFileSync(empty.path('elsewhere/authorities'))).to.deep.equal(readFileSync(old.path('authorities')));
    expect(printed).to.include(
      `SIGNING_TLS_CLIENT_CA_FILE is not set: set it, and copy ${join(backup, 'tls-client-ca.pem')}`,
    );
    expect(printed).to.include(`SIGNING_TLS_CLIENT_CA_FILE=${old.path('ca.pem')}\n`);
  });

  it('has the public keys of older audit segments, which verify the whole chain', async () => {
    const { old, empty, backup } = places;
    const sign = async () => {
      const service = await old.startHere();
      await service.post('/sign', REQUEST);
      await service.stop();
    };
    await sign();
    for (const name of ['audit.key', 'audit.key.pub']) renameSync(old.path(name), old.path(`old-${name}`));
    await old.prepare('init');
    await sign();
    await old.prepare('backup', backup);
    await empty.prepare('restore', backup);
    const restored = readdirSync(empty.folder).filter((name) => name.endsWith('.pub'));
    expect(restored).to.have.length(2);
    const keys = restored.flatMap((name) => ['--public-key', empty.path(name)]);
    await old.prepare('audit', 'verify', ...keys);
    const one = await old.commandHere('audit', 'verify', ...keys.slice(0, 2));
    expect(one.exitCode).to.equal(2);
  });

  it('is refused in a folder that is not empty, and with private keys within each other, which changes nothing', async () => {
    const { old, backup } = places;
    mkdirSync(backup);
    writeFileSync(join(backup, 'note'), 'mine');
    symlinkSync(old.folder, old.path('link'));
    const before = contentsOf(old.folder);
    const apart = old.path('new');
    for (const [words, message] of [
      [[backup], `${backup}: it is not empty; choose new or empty folders`],
      [[apart, '--master-key', apart], 'not within each other'],
      [[apart, '--audit-key', join(old.path('link'), 'new/key')], 'not within each other'],
      [[join(apart, 'in'), '--master-key', apart], 'not within each other'],
    ] as const) {
      const { exitCode, stderr } = await old.commandHere('backup', ...words);
      expect([exitCode, stderr]).to.satisfy(() => exitCode === 2 && stderr.includes(message), stderr);
    }
    expect(contentsOf(old.folder)).to.deep.equal(before);
    expect(existsSync(apart)).to.equal(false);
  });

  it('that fails, such as on a full disk, leaves nothing', async function () {
    this.timeout(20_000);
    const { old, backup, keys } = places;
    writeFileSync(old.path('audit.key'), 'no key');
    const damaged = await old.commandHere('backup', backup, ...keys);
    expect(damaged.stderr).to.include('The audit key cannot be read');
    old.launcher = ['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh'];
    const full = await old.command('backup', old.path('full'));
    expect(full.exitCode, full.stderr).to.equal(2);
    expect(full.stderr).to.include(`${old.path('full/credentials.json')}: it could not be written (EFBIG)`);
    const left = readdirSync(old.folder).filter((name) => /backup|apart|full/.test(name));
    expect(left).to.deep.equal([]);
  });

  it('is consistent while commands rotate the master key and remove the old one', async function () {
    this.timeout(60_000);
    const { old } = places;
    let isOver = false;
    const rotation = (async () => {
      await old.done('master-key', 'rotate');
      await old.done('master-key', 'retire', '--yes');
    })().finally(() => {
      isOver = true;
    });
    let made = 0;
    while (!isOver) {
      const [folder, key] = [old.path(`backup-${made}`), old.path(`key-${made}`)];
      const { exitCode, stderr } = await old.commandHere('backup', folder, '--master-key', key);
      if (exitCode === 0) {
        made += 1;
        const place = new Workplace();
        const printed = JSON.parse(await place.prepare('restore', folder, '--master-key', key, '--json'));
        expect(printed.missingMasterKeys).to.deep.equal([]);
        await place.remove();
      } else expect(stderr).to.include('run the command again');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await rotation;
    expect(made).to.be.greaterThan(0);
  });
});

describe('Restoring', () => {
  const places = new Places();
  const { old, empty, backup, keys } = places;

  before(async () => {
    await places.prepare();
    await old.prepare('backup', old.path('made'), ...keys);
  });
  beforeEach(() => cpSync(old.path('made'), backup, { recursive: true }));
  afterEach(() => renameSync(backup, old.path(`used-${Math.random()}`)));
  after(() => places.remove());

  const damages: { readonly [what: string]: readonly [damage: () => void, message: string] } = {
    'an interrupted one': [
      () => renameSync(join(backup, 'manifest.json'), old.path('gone')),
      'manifest.json: there is no valid manifest',
    ],
    'a changed file': [() => places.edit('settings.env', (text) => `${text}#`), 'settings.env: it is damaged'],
    'a missing file': [() => renameSync(join(backup, 'settings.env'), old.path('gone')), 'settings.env: no such file'],
    'a path out of its folder': [
      () => places.edit('manifest.json', (text) => text.replace('"settings.env"', '"../settings.env"')),
      'manifest.json: there is no valid manifest',
    ],
  };
  for (const [what, [damage, message]] of Object.entries(damages)) {
    it(`refuses ${what}, and writes nothing`, async () => {
      damage();
      expect(await places.refusal()).to.include(message);
    });
  }

  it('refuses a backup of something else, and a master key file for other credentials', async () => {
    const [, , , auditKey = ''] = keys;
    expect(await places.refusal('--master-key', auditKey)).to.include(join(auditKey, 'master.key'));
    const other = new Workplace();
    await other.prepare('init');
    await other.prepare('backup', other.path('b'), '--master-key', other.path('k'));
    expect(await places.refusal('--master-key', other.path('k'))).to.include('would lack master key');
    await other.remove();
  });

  it('refuses paths that exist, naming each, and writes nothing', async () => {
    const files = ['credentials.json', 'master.key'].map((name) => empty.path(name));
    for (const file of files) writeFileSync(file, 'mine');
    const message = await places.refusal(...keys);
    for (const file of files) {
      expect(message).to.include(file);
      renameSync(file, `${file}.away`);
    }
  });

  it('that fails midway, such as beside a public key of another audit key, removes what it wrote', async () => {
    const file = empty.path('audit.key.pub');
    writeFileSync(file, 'mine');
    expect(await places.refusal(...keys)).to.include(`${file}: it has different content`);
    renameSync(file, `${file}.away`);
  });

  it('leaves segments, usage, budgets and nonces as they are, and says from where budgets go on', async () => {
    const names = [
      'audit.000000000001.jsonl',
      'audit.jsonl',
      'audit.jsonl.usage',
      'audit.jsonl.budgets',
      'audit.jsonl.replay',
    ];
    for (const name of names) writeFileSync(empty.path(name), name);
    const printed = await empty.prepare('restore', backup, ...keys);
    expect(printed).to.include(`Budgets go on from ${empty.path('audit.jsonl.budgets')}.`);
    for (const name of names) expect(readFileSync(empty.path(name), 'utf8')).to.equal(name);
  });
});
