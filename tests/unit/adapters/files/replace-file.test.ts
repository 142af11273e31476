import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  promises as fs,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { expect } from 'chai';
import {
  createPublicFile,
  createSecretFile,
  type Replacement,
  replaceFile,
  replacePublicFile,
} from '../../../../src/adapters/files/replace-file.ts';
import { withLockedBytes } from '../../../../src/adapters/vault/locked-buffer.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { hookFileOperations } from '../credentials/keyring/file-operations-hook.ts';
import { runFixture } from '../secret-files/child-process.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';
import { unprivileged } from '../secret-files/unprivileged.ts';

const OLD = 'old content';
const NEW = 'new content';
const write: Replacement['write'] = (handle) => handle.writeFile(NEW);

describe('replaceFile', () => {
  const folder = useTemporaryFolder();
  const original = { ...fs };
  let file: string;
  const namesBeside = () => readdirSync(dirname(file));

  beforeEach(() => {
    file = folder.file('file', OLD);
  });
  afterEach(() => {
    Object.assign(fs, original);
    syncBuiltinESMExports();
  });

  async function expectUntouched(replacement: Replacement): Promise<unknown> {
    const error: unknown = await replaceFile(file, replacement).then(
      () => expect.fail('It was replaced.'),
      (reason: unknown) => reason,
    );
    expect(readFileSync(file, 'utf8')).to.equal(OLD);
    expect(namesBeside()).to.deep.equal(['file']);
    return error;
  }

  it('replaces the content, readable by its owner only, and leaves nothing else', async () => {
    chmodSync(file, 0o664);
    await replaceFile(file, { write });
    expect(readFileSync(file, 'utf8')).to.equal(NEW);
    expect(statSync(file).mode & 0o7777).to.equal(0o600);
    expect(namesBeside()).to.deep.equal(['file']);
  });

  it('keeps the existing mode within the given limit', async () => {
    for (const [mode, kept] of [
      [0o664, 0o660],
      [0o400, 0o400],
    ] as const) {
      chmodSync(file, mode);
      await replaceFile(file, { write, access: { of: file, mode: 0o660 } });
      expect(statSync(file).mode & 0o7777).to.equal(kept);
    }
  });

  it('sets the required owner, or keeps the old content', async () => {
    const owner = statSync(file);
    Object.assign(fs, { stat: async () => ({ ...owner, uid: owner.uid + 1 }) });
    const replacement = { write, access: { of: file, mode: 0o777 } };
    const chown = (fails: boolean) =>
      hookFileOperations(({ name }) => {
        if (name === 'chown' && fails)
          throw Object.assign(new Error('from the system'), { code: 'EPERM', syscall: 'test' });
      });
    let restore = await chown(true);
    expect(await expectUntouched(replacement).finally(restore))
      .to.include({ code: 'EPERM' })
      .and.have.property('message')
      .that.includes('run this as that user');
    if (process.geteuid?.() !== 0) return;
    restore = await chown(false);
    await replaceFile(file, replacement).finally(restore);
    expect(statSync(file).uid).to.equal(owner.uid + 1);
  });

  it('writes the new content before the rename, and keeps the old one until then', async () => {
    await replaceFile(file, {
      write,
      beforeRename: async () => {
        expect(readFileSync(`${file}.tmp`, 'utf8')).to.equal(NEW);
        expect(statSync(`${file}.tmp`).mode & 0o7777).to.equal(0o600);
        expect(readFileSync(file, 'utf8')).to.equal(OLD);
      },
    });
  });

  it('makes the new content durable before the rename, and the rename before it returns', async () => {
    const names: string[] = [];
    const restore = await hookFileOperations(({ name }) => names.push(name));
    await replaceFile(file, { write }).finally(restore);
    expect(names.filter((name) => ['sync', 'rename'].includes(name))).to.deep.equal(['sync', 'rename', 'sync']);
  });

  it('propagates errors from writing and before the rename, and keeps the old content', async () => {
    const thrown = new RangeError('on purpose');
    const fail = () => Promise.reject(thrown);
    expect(await expectUntouched({ write: fail })).to.equal(thrown);
    expect(await expectUntouched({ write, beforeRename: fail })).to.equal(thrown);
  });

  it('keeps the old content when it cannot be renamed', async () => {
    Object.assign(fs, {
      rename: () => Promise.reject(Object.assign(new Error('from the system'), { code: 'EIO', syscall: 'test' })),
    });
    const error = await expectUntouched({ write });
    expect(error).to.be.instanceOf(OperatorError).and.include({ code: 'EIO' });
  });

  it('does not follow a link left by a killed process', async () => {
    const elsewhere = folder.file('elsewhere', 'untouched');
    symlinkSync(elsewhere, `${file}.tmp`);
    await replaceFile(file, { write });
    expect(readFileSync(file, 'utf8')).to.equal(NEW);
    expect(readFileSync(elsewhere, 'utf8')).to.equal('untouched');
  });
});

describe('replacePublicFile', () => {
  const folder = useTemporaryFolder();

  it('replaces the content and leaves nothing else, despite leftovers of a killed process', () => {
    const file = folder.file('public', OLD);
    writeFileSync(`${file}.tmp`, 'half of');
    replacePublicFile(file, Buffer.from(NEW));
    expect(readFileSync(file, 'utf8')).to.equal(NEW);
    expect(readdirSync(dirname(file))).to.deep.equal(['public']);
  });

  it('leaves no temporary file if it cannot replace the target', () => {
    mkdirSync(folder.path('folder'));
    expect(() => replacePublicFile(folder.path('folder'), Buffer.from(NEW)))
      .to.throw(OperatorError)
      .with.nested.property('cause.syscall', 'rename');
    expect(readdirSync(folder.path(''))).to.deep.equal(['folder']);
  });
});

describe('createSecretFile and createPublicFile', () => {
  const folder = useTemporaryFolder();

  it('write exactly the bytes, for the owner alone or for everybody whom the umask allows', () => {
    const content = randomBytes(5000);
    const umask = process.umask(0o022);
    try {
      withLockedBytes(content.length, (bytes) => {
        content.copy(bytes);
        createSecretFile(folder.path('secret'), bytes);
      });
      createPublicFile(folder.path('public'), content);
      process.umask(0o077);
      createPublicFile(folder.path('closed'), content);
    } finally {
      process.umask(umask);
    }
    for (const [name, mode] of Object.entries({ secret: 0o600, public: 0o644, closed: 0o600 })) {
      expect(readFileSync(folder.path(name)).equals(content)).to.equal(true);
      expect(statSync(folder.path(name)).mode & 0o777).to.equal(mode);
    }
  });

  it('leave existing files unchanged, including a dangling link', () => {
    const file = folder.file('taken', OLD);
    symlinkSync(folder.path('target'), folder.path('link'));
    for (const taken of [file, folder.path('link')]) {
      expect(() => createSecretFile(taken, Buffer.from(NEW)))
        .to.throw(OperatorError, `${taken}: it already exists and was not changed`)
        .with.property('code', 'EEXIST');
    }
    expect(readFileSync(file, 'utf8')).to.equal(OLD);
    expect(existsSync(folder.path('target'))).to.equal(false);
  });

  it('name the missing or inaccessible folder', () => {
    mkdirSync(folder.path('closed'), 0o500);
    const refuses = (path: string, advice: string) =>
      expect(() => createSecretFile(path, Buffer.from(NEW))).to.throw(OperatorError, `${path}: ${advice}`);
    refuses(folder.path('missing/file'), 'its folder does not exist; create the folder first.');
    unprivileged(() => refuses(folder.path('closed/file'), 'this user may not create a file in that folder'));
  });

  it('leave no partial file if writing fails', () => {
    const path = folder.path('secret');
    const child = runFixture('files/create-secret-file', [path], 'ulimit -f 0');
    expect(child.stdout).to.contain('OperatorError').and.to.contain(`${path}: it could not be written (EFBIG)`);
    expect(existsSync(path)).to.equal(false);
  });
});
