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
  createFileSync,
  type Replacement,
  replaceFile,
  replaceFileSync,
} from '../../../../src/adapters/files/replace-file.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { hookFileOperations } from '../credentials/keyring/file-operations-hook.ts';
import { thrownBy } from '../secret-files/decoder-outcomes.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';

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

  describe('replaceFileSync', () => {
    it('replaces the content and leaves nothing else, despite leftovers of a killed process', () => {
      writeFileSync(`${file}.tmp`, 'half of');
      replaceFileSync(file, Buffer.from(NEW), 0o600);
      expect(readFileSync(file, 'utf8')).to.equal(NEW);
      expect(statSync(file).mode & 0o7777).to.equal(0o600);
      expect(namesBeside()).to.deep.equal(['file']);
    });

    it('leaves no temporary file if it cannot replace the target', () => {
      mkdirSync(folder.path('folder'));
      expect(thrownBy(() => replaceFileSync(folder.path('folder'), Buffer.from(NEW), 0o600))).to.include({
        syscall: 'rename',
      });
      expect(namesBeside()).to.have.members(['file', 'folder']);
    });
  });

  describe('createFileSync', () => {
    it('leaves existing files unchanged, including a dangling link', () => {
      symlinkSync(folder.path('target'), folder.path('link'));
      for (const taken of [file, folder.path('link')]) {
        const error = thrownBy(() => createFileSync(taken, Buffer.from(NEW), 0o600));
        expect(error).to.include({ code: 'EEXIST' });
      }
      expect(readFileSync(file, 'utf8')).to.equal(OLD);
      expect(existsSync(folder.path('target'))).to.equal(false);
    });
  });
});
