import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'chai';
import { makeFolders, removeEmptyFolders } from '../../../src/files/make-folders.ts';
import { useTemporaryFolder } from '../secure-memory/temporary-folder.ts';

const MODE = 0o700;

describe('makeFolders', () => {
  const { path } = useTemporaryFolder();

  it('makes a folder and those above it, of that mode, and says which', () => {
    expect(makeFolders(path('a/b/c'), MODE)).to.deep.equal([path('a'), path('a/b'), path('a/b/c')]);
    for (const name of ['a', 'a/b', 'a/b/c']) expect(statSync(path(name)).mode & 0o7777).to.equal(MODE);
  });

  it('makes nothing of what is there, and keeps its mode', () => {
    mkdirSync(path('a'), { mode: 0o750 });
    expect(makeFolders(path('a'), MODE)).to.deep.equal([]);
    expect(makeFolders(path('a/b'), MODE)).to.deep.equal([path('a/b')]);
    expect(statSync(path('a')).mode & 0o7777).to.equal(0o750);
    expect(makeFolders('/', MODE)).to.deep.equal([]);
  });

  it('takes relative paths, dots in them, and links to folders', () => {
    mkdirSync(path('real'));
    symlinkSync('real', path('link'));
    makeFolders(relative(process.cwd(), path('link/x/../y')), MODE);
    expect(readdirSync(path('real'))).to.deep.equal(['y']);
  });

  for (const [name, put] of [
    ['a file', (file: string) => writeFileSync(file, '')],
    ['a link to nothing', (file: string) => symlinkSync('nowhere', file)],
  ] as const) {
    it(`throws below ${name}, and leaves nothing`, () => {
      put(path('odd'));
      const before = readdirSync(path('.'));
      expect(() => makeFolders(path('odd/a'), MODE)).to.throw(/ENOTDIR|EEXIST/);
      expect(readdirSync(path('.'))).to.deep.equal(before);
      expect(existsSync(path('nowhere'))).to.equal(false);
    });
  }

  it('throws where only an inner folder can not be made, and removes the outer ones', () => {
    const tooLong = 'x'.repeat(300);
    expect(() => makeFolders(path(`a/b/${tooLong}`), MODE)).to.throw('ENAMETOOLONG');
    expect(existsSync(path('a'))).to.equal(false);
  });

  it('removes folders that hold nothing, and no other', () => {
    const made = makeFolders(path('a/b/c'), MODE);
    writeFileSync(path('a/kept'), '');
    removeEmptyFolders(made);
    expect(readdirSync(path('a'))).to.deep.equal(['kept']);
  });
});
