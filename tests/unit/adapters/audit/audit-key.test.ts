import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { AuditKey, createAuditKey } from '../../../../src/adapters/audit/audit-key.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { ed25519PublicKey } from '../../../process-memory/secrets.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';
import { unprivileged } from '../secret-files/unprivileged.ts';

const NOBODY = 65_534;

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).to.be.instanceOf(OperatorError);
    return (error as OperatorError).message;
  }
  return expect.fail('It should have been refused.');
}

// tests/unit/adapters/secret-files/seed-file.test.ts covers forms and modes of the file.
describe('AuditKey', () => {
  const folder = useTemporaryFolder();

  it('prints only its public half', () => {
    const file = folder.file('audit.key', 'ab'.repeat(32));
    chmodSync(file, 0o600);
    const key = AuditKey.open(file);
    const shown = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key);
    key.destroy();
    expect(shown).to.include('publicKey').and.not.include('abab').and.not.include([0xab, 0xab, 0xab].join(','));
    expect(Object.keys(key)).to.deep.equal(['publicKey']);
  });

  it('rejects an invalid or missing file, naming file, setting and remedy but not the content', () => {
    const invalid = folder.file('audit.key', `9d61b19d${'0'.repeat(55)}`);
    chmodSync(invalid, 0o600);
    for (const [file, remedy] of [
      [invalid, 'Repair it, or set SIGNING_AUDIT_KEY_FILE to'],
      [folder.path('missing.key'), 'Restore it, or set SIGNING_AUDIT_KEY_FILE to'],
    ] as const) {
      const message = refusal(() => AuditKey.open(file));
      for (const part of [file, remedy, 'run `signing-service init`, which creates only what is missing'])
        expect(message).to.include(part);
      expect(message).to.not.include('9d61b19d');
    }
  });
});

describe('createAuditKey', () => {
  const folder = useTemporaryFolder();
  let file: string;

  beforeEach(() => {
    file = folder.path('secret/audit.key');
  });

  const read = (path: string) => readFileSync(path, 'utf8');

  it('writes the public half as SPKI in PEM, with which OpenSSL verifies signatures', () => {
    createAuditKey(file);
    const text = read(`${file}.pub`);
    expect(text).to.match(/^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/]{59}=\n-----END PUBLIC KEY-----\n$/);
    const publicKey = createPublicKey(text);
    const seed = Buffer.from(read(file).trim(), 'hex');
    expect(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)).to.deep.equal(ed25519PublicKey(seed));
    const key = AuditKey.open(file);
    expect(verify(null, Buffer.from('checkpoint'), publicKey, key.sign(Buffer.from('checkpoint')))).to.equal(true);
    key.destroy();
    expect(() => createPrivateKey(text)).to.throw();
  });

  it('refuses to create a key next to the public half of a missing one', () => {
    createAuditKey(file);
    renameSync(file, folder.path('aside.key'));
    expect(refusal(() => createAuditKey(file))).to.include(
      `The audit key ${file} (SIGNING_AUDIT_KEY_FILE) cannot be created: ${file}.pub exists, but not its audit key`,
    );
    expect(readdirSync(dirname(file))).to.deep.equal(['audit.key.pub']);
  });

  it('creates nothing through a dangling link', () => {
    symlinkSync('nowhere', folder.path('link.key'));
    expect(refusal(() => createAuditKey(folder.path('link.key')))).to.include('is a symbolic link to a file');
    expect(existsSync(folder.path('nowhere'))).to.equal(false);
  });

  it('reports a folder that cannot be created or written, and creates no file', () => {
    folder.file('file', '');
    const below = folder.path('file/below/audit.key');
    expect(refusal(() => createAuditKey(below))).to.include(`${below} (SIGNING_AUDIT_KEY_FILE)`);
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
