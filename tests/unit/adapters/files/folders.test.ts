import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { relative } from 'node:path';
import { expect } from 'chai';
import { createFolders, removeEmptyFolders, syncFolder } from '../../../../src/adapters/files/folders.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';

const MODE = 0o700;

describe('createFolders', () => {
  const { path } = useTemporaryFolder();

  it('creates a folder and its parents with the given mode, and returns their paths', () => {
    expect(createFolders(path('a/b/c'), MODE)).to.deep.equal([path('a'), path('a/b'), path('a/b/c')]);
    for (const name of ['a', 'a/b', 'a/b/c']) expect(statSync(path(name)).mode & 0o7777).to.equal(MODE);
  });

  it('does not create existing folders again, and keeps their mode', () => {
    mkdirSync(path('a'), { mode: 0o750 });
    expect(createFolders(path('a'), MODE)).to.deep.equal([]);
    expect(createFolders(path('a/b'), MODE)).to.deep.equal([path('a/b')]);
    expect(statSync(path('a')).mode & 0o7777).to.equal(0o750);
    expect(createFolders('/', MODE)).to.deep.equal([]);
  });

  it('accepts relative paths, dot segments and links to folders', () => {
    mkdirSync(path('real'));
    symlinkSync('real', path('link'));
    createFolders(relative(process.cwd(), path('link/x/../y')), MODE);
    expect(readdirSync(path('real'))).to.deep.equal(['y']);
  });

  it('throws if only an inner folder cannot be created, and removes the outer ones', () => {
    const tooLong = 'x'.repeat(300);
    expect(() => createFolders(path(`a/b/${tooLong}`), MODE)).to.throw('ENAMETOOLONG');
    expect(existsSync(path('a'))).to.equal(false);
  });

  it('removes only empty folders', () => {
    const made = createFolders(path('a/b/c'), MODE);
    writeFileSync(path('a/kept'), '');
    removeEmptyFolders(made);
    expect(readdirSync(path('a'))).to.deep.equal(['kept']);
  });
});

describe('syncFolder', () => {
  let prototype: FileHandle;
  let original: FileHandle['sync'];

  beforeEach(async () => {
    const handle = await open('/dev/null');
    prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    original = prototype.sync;
  });
  afterEach(() => {
    prototype.sync = original;
  });

  /** Fails fsync of folders with this code. */
  function answerWith(code: string): void {
    prototype.sync = async () => {
      throw Object.assign(new Error('on purpose'), { code });
    };
  }

  it('ignores that the file system does not support it', async () => {
    answerWith('EINVAL');
    await syncFolder(tmpdir());
  });

  it('throws any other error, and closes the folder', async () => {
    const open = readdirSync('/dev/fd').length;
    answerWith('EIO');
    expect(await syncFolder(tmpdir()).catch((error: unknown) => error)).to.include({ code: 'EIO' });
    expect(readdirSync('/dev/fd').length).to.equal(open);
  });
});
