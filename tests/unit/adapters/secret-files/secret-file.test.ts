import { randomBytes } from 'node:crypto';
import fs, { readdirSync, symlinkSync, truncateSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import { withSecretFile } from '../../../../src/adapters/secret-files/secret-file.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

describe('withSecretFile', () => {
  const folder = useTemporaryFolder();
  const refuses = (path: string, advice: string): void => {
    expect(() => withSecretFile(path, 100, () => 'lent')).to.throw(OperatorError, `${path}: ${advice}`);
  };

  it('passes exactly the bytes of the file, up to the limit', () => {
    for (const size of [1, 70_000]) {
      const content = randomBytes(size);
      const path = folder.file(`secret-${size}`, content);
      expect(
        withSecretFile(path, 70_000, (bytes) => bytes.equals(content)),
        `${size} bytes`,
      ).to.equal(true);
    }
  });

  it('frees the memory when use returns or throws, and passes on result and error', () => {
    const path = folder.file('secret', 'content');
    const kept: Buffer[] = [];
    const failure = new Error('from use');
    expect(withSecretFile(path, 100, (bytes) => kept.push(bytes))).to.equal(1);
    const failing = (bytes: Buffer): never => {
      kept.push(bytes);
      throw failure;
    };
    expect(() => withSecretFile(path, 100, failing)).to.throw(failure);
    expect(kept.map((bytes) => bytes.length)).to.deep.equal([0, 0]);
  });

  it('closes the file in every case', () => {
    const path = folder.file('secret', 'content');
    const before = readdirSync('/dev/fd').length;
    withSecretFile(path, 100, () => 0);
    expect(() => withSecretFile(path, 3, () => 0)).to.throw(OperatorError);
    expect(() => withSecretFile(path, 100, () => expect.fail('from use'))).to.throw('from use');
    expect(readdirSync('/dev/fd').length).to.equal(before);
  });

  it('names the file and the remedy', () => {
    symlinkSync('nowhere', folder.path('dangling'));
    symlinkSync('circular', folder.path('circular'));
    refuses(folder.path('missing'), 'no such file; check the path.');
    refuses(folder.path('dangling'), 'no such file');
    refuses(folder.path('circular'), 'its symbolic links form a loop');
    refuses(folder.path(''), 'it is a folder');
    refuses(`${folder.file('file', 'x')}/inside`, 'a part of this path is not a folder');
    refuses(folder.file('empty', ''), 'it is empty');
    refuses(folder.file('large', Buffer.alloc(101)), 'it is too large; check that it is the right file');
    refuses('/dev/zero', 'it is not a regular file');
    refuses('with\0', 'it could not be read');
  });

  it('rejects a file that changes its size while it is read', () => {
    const path = folder.file('changing', 'content');
    for (const length of [8, 3]) {
      betweenSizeAndReading(
        () => truncateSync(path, length),
        () => refuses(path, 'it changed'),
      );
    }
  });
});

/** Runs `change` between stat and read. */
function betweenSizeAndReading(change: () => void, action: () => void): void {
  const original = fs.fstatSync;
  const changing = (descriptor: number): fs.Stats => {
    const stats = original(descriptor);
    change();
    return stats;
  };
  Object.assign(fs, { fstatSync: changing });
  syncBuiltinESMExports();
  try {
    action();
  } finally {
    Object.assign(fs, { fstatSync: original });
    syncBuiltinESMExports();
  }
}
