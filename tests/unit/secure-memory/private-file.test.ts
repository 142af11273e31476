import { chmodSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { KeyFileError } from '../../../src/secure-memory/key-file-error.ts';
import { assertPrivate } from '../../../src/secure-memory/private-file.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

describe('assertPrivate', () => {
  const folder = useTemporaryFolder();

  /** The permissions, 0 to 0777, with which a file of `owner` is refused. */
  function refusedModes(owner: number): readonly number[] {
    const stats = statSync(folder.file('key', 'x'));
    return Array.from({ length: 0o1000 }, (_, mode) => mode).filter((mode) => {
      try {
        assertPrivate('key', Object.assign(stats, { mode: 0o100000 | mode, uid: owner }), 'a key');
        return false;
      } catch (error) {
        if (error instanceof KeyFileError) return true;
        throw error;
      }
    });
  }

  it("takes this user's file if group and others can do nothing with it", () => {
    const user = process.geteuid?.() ?? 0;
    expect(refusedModes(user)).to.deep.equal(
      Array.from({ length: 0o1000 }, (_, mode) => mode).filter((mode) => (mode & 0o077) !== 0),
    );
  });

  it("takes another user's file also if its group can read or execute it, and no more", () => {
    const other = (process.geteuid?.() ?? 0) + 1;
    expect(refusedModes(other)).to.deep.equal(
      Array.from({ length: 0o1000 }, (_, mode) => mode).filter((mode) => (mode & 0o027) !== 0),
    );
  });

  it('names the file, what it holds, its mode and the command to run', () => {
    const file = folder.file("it's a key", 'x');
    chmodSync(file, 0o640);
    expect(() => assertPrivate(file, statSync(file), 'the audit key'))
      .to.throw(KeyFileError)
      .with.property('message')
      .that.includes(`${file}: other users have access to the audit key (its mode is 0640)`)
      .and.includes(`run \`chmod 600 '${file.replace("'", "'\\''")}'\``);
  });
});
