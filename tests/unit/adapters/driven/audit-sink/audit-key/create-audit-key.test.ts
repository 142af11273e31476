import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
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
import { expect } from 'chai';
import { AuditKey } from '../../../../../../src/adapters/driven/audit-sink/audit-key/audit-key.ts';
import { createAuditKey } from '../../../../../../src/adapters/driven/audit-sink/audit-key/create-audit-key.ts';
import { OperatorError } from '../../../../../../src/domain/model/errors.ts';
import { ed25519PublicKey } from '../../../../../process-memory/secrets.ts';
import { useTemporaryFolder } from '../../../../secure-memory/temporary-folder.ts';
import { unprivileged } from '../../../../secure-memory/unprivileged.ts';

const NOBODY = 65_534;

describe('createAuditKey', () => {
  const folder = useTemporaryFolder();
  let file: string;

  beforeEach(() => {
    file = folder.path('secret/audit.key');
  });

  const modeOf = (path: string) => statSync(path).mode & 0o7777;
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

  it('makes key and public half, in a folder that it makes, each with its mode', () => {
    expect(createAuditKey(file)).to.deep.equal({
      key: { file, created: true },
      publicKey: { file: `${file}.pub`, created: true },
    });
    expect(read(file)).to.match(/^[0-9a-f]{64}\n$/);
    expect(modeOf(file)).to.equal(0o600);
    expect(modeOf(`${file}.pub`)).to.equal(0o644 & ~process.umask());
    expect(modeOf(dirname(file))).to.equal(0o700);
    expect(readdirSync(dirname(file))).to.have.members(['audit.key', 'audit.key.pub']);
  });

  it('makes another key each time', () => {
    const files = [1, 2, 3].map((index) => folder.path(`${index}.key`));
    for (const each of files) createAuditKey(each);
    expect(new Set(files.map(read)).size).to.equal(3);
  });

  it('writes the public half as SPKI in PEM, with which OpenSSL verifies what the key signs', () => {
    createAuditKey(file);
    const text = read(`${file}.pub`);
    expect(text).to.match(/^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/]{59}=\n-----END PUBLIC KEY-----\n$/);
    const publicKey = createPublicKey(text);
    const seed = Buffer.from(read(file).trim(), 'hex');
    expect(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)).to.deep.equal(ed25519PublicKey(seed));
    const key = AuditKey.open(file);
    expect(verify(null, Buffer.from('checkpoint'), publicKey, key.sign(Buffer.from('checkpoint')))).to.equal(true);
    key.destroy();
    // A public key, and not the private one.
    expect(() => createPrivateKey(text)).to.throw();
  });

  it('leaves both as they are where they are, and says so', () => {
    createAuditKey(file);
    const before = [read(file), read(`${file}.pub`)];
    expect(createAuditKey(file)).to.deep.equal({
      key: { file, created: false },
      publicKey: { file: `${file}.pub`, created: false },
    });
    expect([read(file), read(`${file}.pub`)]).to.deep.equal(before);
  });

  it('writes the public half anew where it is missing, also of a key in raw bytes', () => {
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

  it('takes a public half that went through an editor for what it is', () => {
    createAuditKey(file);
    writeFileSync(`${file}.pub`, `${read(`${file}.pub`).replaceAll('\n', '\r\n')}\r\n`);
    expect(createAuditKey(file).publicKey.created).to.equal(false);
  });

  it('refuses a public half that does not fit, and leaves both as they are', () => {
    createAuditKey(file);
    createAuditKey(folder.path('other.key'));
    const whole = read(`${file}.pub`);
    for (const wrong of [read(folder.path('other.key.pub')), '', 'junk', whole.slice(0, 50), 'x'.repeat(5000)]) {
      writeFileSync(`${file}.pub`, wrong);
      expect(refusal(() => createAuditKey(file)))
        .to.include(`${file}.pub is not the public half of the audit key ${file} (SIGNING_AUDIT_KEY_FILE)`)
        .and.include('run `signing-service init`, which makes only what is missing');
      expect(read(`${file}.pub`)).to.equal(wrong);
    }
  });

  it('makes no key beside the public half of one that is missing', () => {
    createAuditKey(file);
    renameSync(file, folder.path('aside.key'));
    expect(refusal(() => createAuditKey(file))).to.include(`${file}.pub is there, but not the audit key ${file}`);
    expect(readdirSync(dirname(file))).to.deep.equal(['audit.key.pub']);
    renameSync(`${file}.pub`, folder.path('aside.key.pub'));
    expect(createAuditKey(file).key.created).to.equal(true);
    expect(read(file)).to.not.equal(read(folder.path('aside.key')));
  });

  it('refuses a key that is wrong or open to others, and does not replace it', () => {
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

  it('makes nothing through a link to nothing', () => {
    symlinkSync('nowhere', folder.path('link.key'));
    expect(refusal(() => createAuditKey(folder.path('link.key')))).to.include('is a symbolic link to a file');
    expect(existsSync(folder.path('nowhere'))).to.equal(false);
  });

  it('says so where its folder can not be made or written, and leaves none', () => {
    folder.file('file', '');
    const below = folder.path('file/below/audit.key');
    expect(refusal(() => createAuditKey(below)))
      .to.include(below)
      .and.include('SIGNING_AUDIT_KEY_FILE');
    mkdirSync(folder.path('closed'), { mode: 0o755 });
    chmodSync(folder.path('.'), 0o755);
    const closed = folder.path('closed/audit.key');
    const message = refusal(() => unprivileged(() => createAuditKey(closed)));
    expect(message).to.include(closed).and.include('change the permission of the folder');
    expect(readdirSync(folder.path('closed'))).to.deep.equal([]);
  });

  it('says that the key is in order where only its public half can not be written, as beside a mounted secret', () => {
    mkdirSync(folder.path('mounted'));
    const mounted = folder.path('mounted/audit-key');
    writeFileSync(mounted, '00'.repeat(32), { mode: 0o400 });
    if (process.geteuid?.() === 0) chownSync(mounted, NOBODY, NOBODY);
    chmodSync(folder.path('.'), 0o755);
    chmodSync(folder.path('mounted'), 0o555);
    expect(refusal(() => unprivileged(() => createAuditKey(mounted))))
      .to.include('The key is in order')
      .and.include(`${mounted}.pub`);
    expect(readdirSync(folder.path('mounted'))).to.deep.equal(['audit-key']);
  });
});
