import { createPrivateKey, createPublicKey, randomBytes, verify } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { AuditKey, createAuditKey } from '../../../../src/adapters/audit/audit-key.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { ed25519PublicKey } from '../../../process-memory/secrets.ts';
import { RFC_8032_VECTORS } from '../../../vectors/rfc-8032.ts';
import { useTemporaryFolder } from '../key-files/temporary-folder.ts';
import { unprivileged } from '../key-files/unprivileged.ts';

const SEED = Buffer.from(RFC_8032_VECTORS[0]?.seed ?? '', 'hex');
const HEX = SEED.toString('hex');

describe('AuditKey', () => {
  const folder = useTemporaryFolder();
  const opened: AuditKey[] = [];
  afterEach(() => {
    for (const key of opened.splice(0)) key.destroy();
  });

  function open(content: string | Uint8Array, mode = 0o600): AuditKey {
    // A file that its owner may not write, of an earlier call.
    rmSync(folder.path('audit.key'), { force: true });
    const file = folder.file('audit.key', content);
    chmodSync(file, mode);
    const key = AuditKey.open(file);
    opened.push(key);
    return key;
  }

  function refusal(action: () => unknown): string {
    try {
      action();
    } catch (error) {
      expect(error).to.be.instanceOf(OperatorError);
      return (error as OperatorError).message;
    }
    return expect.fail('It should have been refused.');
  }

  for (const { name, seed, publicKey, message, signature } of RFC_8032_VECTORS) {
    it(`has the public key and signature of ${name} of RFC 8032`, () => {
      const key = open(`${seed}\n`);
      expect(key.publicKey.toString('hex')).to.equal(publicKey);
      expect(key.sign(Buffer.from(message, 'hex')).toString('hex')).to.equal(signature);
    });
  }

  it('makes signatures that OpenSSL verifies with its public key', () => {
    const key = open(randomBytes(32).toString('hex'));
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.publicKey.toString('base64url') };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    for (let round = 0; round < 20; round += 1) {
      const message = randomBytes(round * 7);
      const signature = key.sign(message);
      expect(signature).to.have.length(64);
      expect(verify(null, message, publicKey, signature)).to.equal(true);
      expect(verify(null, Buffer.concat([message, Buffer.from('x')]), publicKey, signature)).to.equal(false);
    }
  });

  it('throws on use after destroy, which is idempotent', () => {
    const key = open(HEX);
    key.destroy();
    key.destroy();
    expect(() => key.sign(Buffer.from('x'))).to.throw('freed');
  });

  it('prints only its public half', () => {
    const key = open(HEX);
    const shown = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key);
    expect(shown)
      .to.include('publicKey')
      .and.not.include(HEX)
      .and.not.include([...SEED.subarray(0, 4)].join(','));
    expect(Object.keys(key)).to.deep.equal(['publicKey']);
  });

  const spellings: readonly (readonly [string, string | Uint8Array])[] = [
    ['64 lowercase hex digits and a line feed', `${HEX}\n`],
    ['64 hex digits', HEX],
    ['64 hex digits and a line break of two characters', `${HEX}\r\n`],
    ['64 hex digits in upper case', HEX.toUpperCase()],
    ['32 raw bytes', SEED],
  ];
  for (const [name, content] of spellings) {
    it(`is read from ${name}`, () => {
      expect(open(content).publicKey.toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
    });
  }

  const wrongs: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['31 bytes', SEED.subarray(1)],
    ['64 raw bytes, as libsodium has them', Buffer.concat([SEED, SEED])],
    ['63 hex digits', HEX.slice(1)],
    ['65 hex digits', `${HEX}0`],
    ['64 characters that are no hex digits', `${HEX.slice(1)}g`],
    ['0x and 62 hex digits', `0x${HEX.slice(2)}`],
    ['32 hex digits, which are 16 bytes', HEX.slice(0, 32)],
    ['two lines', `${HEX}\n${HEX}\n`],
    ['much more', 'f'.repeat(100_000)],
  ];
  for (const [name, content] of wrongs) {
    it(`rejects ${name}, naming file, setting and remedy but not the content`, () => {
      expect(refusal(() => open(content)))
        .to.include(folder.path('audit.key'))
        .and.include('SIGNING_AUDIT_KEY_FILE')
        .and.include('run `signing-service init`, which creates only what is missing')
        .and.not.match(/9d61b19d|ffffff/);
    });
  }

  it('rejects a missing file, naming the command that creates it', () => {
    const message = refusal(() => AuditKey.open(folder.path('missing.key')));
    expect(message)
      .to.include(`${folder.path('missing.key')}: no such file`)
      .and.include('set SIGNING_AUDIT_KEY_FILE to its path')
      .and.include('run `signing-service init`, which creates only what is missing');
  });

  it('rejects a folder, and a file that this user cannot read', () => {
    mkdirSync(folder.path('folder.key'));
    expect(refusal(() => AuditKey.open(folder.path('folder.key')))).to.include('it is a folder');
    const file = folder.file('closed.key', HEX);
    chmodSync(folder.path('.'), 0o755);
    chmodSync(file, 0o000);
    expect(refusal(() => unprivileged(() => AuditKey.open(file)))).to.include('may not read it');
  });

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o644, 0o666]) {
    it(`rejects mode ${mode.toString(8)}, naming the chmod to run`, () => {
      expect(refusal(() => open(HEX, mode)))
        .to.include(`access to the audit key (its mode is 0${mode.toString(8)})`)
        .and.include(`run \`chmod 600 ${folder.path('audit.key')}\``);
    });
  }

  it('checks the target of a link', () => {
    open(HEX);
    symlinkSync('audit.key', folder.path('link.key'));
    const key = AuditKey.open(folder.path('link.key'));
    opened.push(key);
    expect(key.publicKey.toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
    chmodSync(folder.path('audit.key'), 0o644);
    expect(refusal(() => AuditKey.open(folder.path('link.key')))).to.include('its mode is 0644');
  });

  describe('of another user', () => {
    const geteuid = process.geteuid;
    beforeEach(() => {
      process.geteuid = () => (geteuid?.() ?? 0) + 1;
    });
    afterEach(() => {
      if (geteuid) process.geteuid = geteuid;
    });

    it('may be readable by its group, as systemd and Kubernetes mount secrets, but not by others', () => {
      expect(open(HEX, 0o440).publicKey.toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
      expect(refusal(() => open(HEX, 0o444))).to.include('chmod 640');
    });
  });
});

const NOBODY = 65_534;

describe('createAuditKey', () => {
  const folder = useTemporaryFolder();
  let file: string;

  beforeEach(() => {
    file = folder.path('secret/audit.key');
  });

  const getMode = (path: string) => statSync(path).mode & 0o7777;
  const read = (path: string) => readFileSync(path, 'utf8');

  function refusal(action: () => unknown): string {
    try {
      action();
    } catch (error) {
      expect(error).to.be.instanceOf(OperatorError);
      return (error as OperatorError).message;
    }
    return expect.fail('It should have been refused.');
  }

  it('creates key and public half, in a new folder, each with its mode', () => {
    expect(createAuditKey(file)).to.deep.equal({
      key: { file, created: true },
      publicKey: { file: `${file}.pub`, created: true },
    });
    expect(read(file)).to.match(/^[0-9a-f]{64}\n$/);
    expect(getMode(file)).to.equal(0o600);
    expect(getMode(`${file}.pub`)).to.equal(0o644 & ~process.umask());
    expect(getMode(dirname(file))).to.equal(0o700);
    expect(readdirSync(dirname(file))).to.have.members(['audit.key', 'audit.key.pub']);
  });

  it('creates a different key each time', () => {
    const files = [1, 2, 3].map((index) => folder.path(`${index}.key`));
    for (const each of files) createAuditKey(each);
    expect(new Set(files.map(read)).size).to.equal(3);
  });

  it('writes the public half as SPKI in PEM, which OpenSSL accepts', () => {
    createAuditKey(file);
    const text = read(`${file}.pub`);
    expect(text).to.match(/^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/]{59}=\n-----END PUBLIC KEY-----\n$/);
    const publicKey = createPublicKey(text);
    const seed = Buffer.from(read(file).trim(), 'hex');
    expect(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)).to.deep.equal(ed25519PublicKey(seed));
    const key = AuditKey.open(file);
    expect(verify(null, Buffer.from('checkpoint'), publicKey, key.sign(Buffer.from('checkpoint')))).to.equal(true);
    key.destroy();
    // A public key, not the private one.
    expect(() => createPrivateKey(text)).to.throw();
  });

  it('leaves existing files unchanged, and reports it', () => {
    createAuditKey(file);
    const before = [read(file), read(`${file}.pub`)];
    expect(createAuditKey(file)).to.deep.equal({
      key: { file, created: false },
      publicKey: { file: `${file}.pub`, created: false },
    });
    expect([read(file), read(`${file}.pub`)]).to.deep.equal(before);
  });

  it('restores a missing public half, including that of a key in raw bytes', () => {
    createAuditKey(file);
    const publicHalf = read(`${file}.pub`);
    rmSync(`${file}.pub`);
    const seed = Buffer.from(read(file).trim(), 'hex');
    writeFileSync(file, seed);
    expect(createAuditKey(file)).to.deep.equal({
      key: { file, created: false },
      publicKey: { file: `${file}.pub`, created: true },
    });
    expect(read(`${file}.pub`)).to.equal(publicHalf);
    expect(readFileSync(file)).to.deep.equal(seed);
  });

  it('accepts a public half with different line breaks', () => {
    createAuditKey(file);
    writeFileSync(`${file}.pub`, `${read(`${file}.pub`).replaceAll('\n', '\r\n')}\r\n`);
    expect(createAuditKey(file).publicKey.created).to.equal(false);
  });

  it('rejects a public half that does not match, and leaves both unchanged', () => {
    createAuditKey(file);
    createAuditKey(folder.path('other.key'));
    const whole = read(`${file}.pub`);
    for (const wrong of [read(folder.path('other.key.pub')), '', 'junk', whole.slice(0, 50), 'x'.repeat(5000)]) {
      writeFileSync(`${file}.pub`, wrong);
      expect(refusal(() => createAuditKey(file)))
        .to.include(`${file}.pub is not the public half of the audit key ${file} (SIGNING_AUDIT_KEY_FILE)`)
        .and.include('run `signing-service init`, which creates only what is missing');
      expect(read(`${file}.pub`)).to.equal(wrong);
    }
  });

  it('refuses to create a key next to the public half of a missing one', () => {
    createAuditKey(file);
    renameSync(file, folder.path('aside.key'));
    expect(refusal(() => createAuditKey(file))).to.include(
      `${file}.pub exists, but its audit key ${file} (SIGNING_AUDIT_KEY_FILE) does not`,
    );
    expect(readdirSync(dirname(file))).to.deep.equal(['audit.key.pub']);
    renameSync(`${file}.pub`, folder.path('aside.key.pub'));
    expect(createAuditKey(file).key.created).to.equal(true);
    expect(read(file)).to.not.equal(read(folder.path('aside.key')));
  });

  it('rejects an invalid or widely readable key, and does not replace it', () => {
    for (const [content, mode] of [
      ['junk', 0o600],
      ['', 0o600],
      ['00'.repeat(32), 0o644],
    ] as const) {
      const path = folder.file('wrong.key', content);
      chmodSync(path, mode);
      expect(refusal(() => createAuditKey(path))).to.include(path);
      expect(read(path)).to.equal(content);
      expect(existsSync(`${path}.pub`)).to.equal(false);
    }
  });

  it('creates nothing through a dangling link', () => {
    symlinkSync('nowhere', folder.path('link.key'));
    expect(refusal(() => createAuditKey(folder.path('link.key')))).to.include('is a symbolic link to a file');
    expect(existsSync(folder.path('nowhere'))).to.equal(false);
  });

  it('reports a folder that cannot be created or written, and creates no file', () => {
    folder.file('file', '');
    const below = folder.path('file/below/audit.key');
    expect(refusal(() => createAuditKey(below)))
      .to.include(below)
      .and.include('SIGNING_AUDIT_KEY_FILE');
    mkdirSync(folder.path('closed'), { mode: 0o555 });
    chmodSync(folder.path('.'), 0o755);
    const closed = folder.path('closed/audit.key');
    const message = refusal(() => unprivileged(() => createAuditKey(closed)));
    expect(message).to.include(closed).and.include('change the permissions of the folder');
    expect(readdirSync(folder.path('closed'))).to.deep.equal([]);
  });

  it('reports that only the public half cannot be written, as next to a mounted secret', () => {
    mkdirSync(folder.path('mounted'));
    const mounted = folder.path('mounted/audit-key');
    writeFileSync(mounted, '00'.repeat(32), { mode: 0o400 });
    if (process.geteuid?.() === 0) chownSync(mounted, NOBODY, NOBODY);
    chmodSync(folder.path('.'), 0o755);
    chmodSync(folder.path('mounted'), 0o555);
    const message = refusal(() => unprivileged(() => createAuditKey(mounted)));
    // For its removal.
    chmodSync(folder.path('mounted'), 0o755);
    expect(message).to.include('The key itself is valid').and.include(`${mounted}.pub`);
    expect(readdirSync(folder.path('mounted'))).to.deep.equal(['audit-key']);
  });
});
