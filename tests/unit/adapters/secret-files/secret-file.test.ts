import { randomBytes } from 'node:crypto';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { expect } from 'chai';
import {
  createPublicFile,
  createSecretFile,
  isExistingFile,
  replacePublicFile,
  withSecretFile,
} from '../../../../src/adapters/secret-files/secret-file.ts';
import { withLockedBytes } from '../../../../src/adapters/vault/locked-buffer.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { runFixture } from './child-process.ts';
import { thrownBy } from './decoder-outcomes.ts';
import { useTemporaryFolder } from './temporary-folder.ts';
import { unprivileged } from './unprivileged.ts';

describe('withSecretFile', () => {
  const folder = useTemporaryFolder();
  const refusal = (path: string, maxBytes = 100): Error => thrownBy(() => withSecretFile(path, maxBytes, () => 'lent'));

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
    const thrown = thrownBy(() =>
      withSecretFile(path, 100, (bytes) => {
        kept.push(bytes);
        throw failure;
      }),
    );
    expect(thrown).to.equal(failure);
    expect(kept.map((bytes) => bytes.length)).to.deep.equal([0, 0]);
  });

  it('closes the file in every case', () => {
    const path = folder.file('secret', 'content');
    const before = readdirSync('/dev/fd').length;
    withSecretFile(path, 100, () => 0);
    refusal(path, 3);
    thrownBy(() =>
      withSecretFile(path, 100, () => {
        throw new Error('from use');
      }),
    );
    expect(readdirSync('/dev/fd').length).to.equal(before);
  });

  it('names the file and the remedy', () => {
    const missing = folder.path('missing');
    expect(refusal(missing)).to.be.instanceOf(OperatorError);
    expect(refusal(missing).message).to.equal(`${missing}: no such file; check the path.`);
    expect(refusal(folder.path('')).message).to.contain('it is a folder');
    expect(refusal(`${folder.file('file', 'x')}/inside`).message).to.contain('not a folder');
    expect(refusal(folder.file('empty', '')).message).to.contain('it is empty');
    expect(refusal(folder.file('large', Buffer.alloc(101))).message).to.contain(
      'it is too large; check that it is the right file',
    );
    expect(refusal(`${missing}\0`)).to.be.instanceOf(OperatorError);
    expect(refusal('/dev/zero').message).to.contain('not a regular file');
    symlinkSync('nowhere', folder.path('dangling'));
    symlinkSync('circular', folder.path('circular'));
    expect(refusal(folder.path('dangling')).message).to.contain('no such file');
    expect(refusal(folder.path('circular')).message).to.contain('form a loop');
  });

  it('rejects a file that changes its size while it is read', () => {
    const path = folder.file('changing', 'content');
    for (const length of [8, 3]) {
      const refused = betweenSizeAndReading(
        () => truncateSync(path, length),
        () => refusal(path),
      );
      expect(refused.message).to.contain('it changed');
    }
  });
});

describe('createSecretFile', () => {
  const folder = useTemporaryFolder();

  it('writes exactly the bytes, accessible only by the owner', () => {
    const content = randomBytes(5000);
    const path = folder.path('secret');
    withLockedBytes(content.length, (bytes) => {
      content.copy(bytes);
      createSecretFile(path, bytes);
    });
    expect(readFileSync(path).equals(content)).to.equal(true);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
  });

  it('leaves an existing file unchanged, and throws a distinct error', () => {
    const path = folder.file('taken', 'first');
    const error = thrownBy(() => createSecretFile(path, Buffer.from('second')));
    expect(error).to.be.instanceOf(OperatorError).and.to.satisfy(isExistingFile);
    expect(error.message).to.contain(path).and.to.contain('already exists');
    expect(readFileSync(path, 'utf8')).to.equal('first');
  });

  it('names the missing or inaccessible folder', () => {
    const inMissing = thrownBy(() => createSecretFile(folder.path('missing/secret'), Buffer.from('x')));
    expect(inMissing).to.be.instanceOf(OperatorError).and.not.to.satisfy(isExistingFile);
    expect(inMissing.message).to.contain('its folder does not exist');
    mkdirSync(folder.path('closed'), 0o500);
    const inClosed = unprivileged(() =>
      thrownBy(() => createSecretFile(folder.path('closed/secret'), Buffer.from('x'))),
    );
    expect(inClosed.message).to.contain('may not create a file');
  });

  it('leaves no partial file if writing fails', () => {
    const path = folder.path('secret');
    const child = runFixture('create-secret-file', [path], 'ulimit -f 0');
    expect(child.stdout).to.contain('OperatorError').and.to.contain(`${path}: it could not be written (EFBIG)`);
    expect(existsSync(path)).to.equal(false);
  });
});

/** Runs `change` between stat and read. */
function betweenSizeAndReading<Result>(change: () => void, action: () => Result): Result {
  const original = fs.fstatSync;
  const changing = (descriptor: number): fs.Stats => {
    const stats = original(descriptor);
    change();
    return stats;
  };
  Object.assign(fs, { fstatSync: changing });
  syncBuiltinESMExports();
  try {
    return action();
  } finally {
    Object.assign(fs, { fstatSync: original });
    syncBuiltinESMExports();
  }
}

describe('createPublicFile', () => {
  const folder = useTemporaryFolder();

  it('writes exactly the bytes, world-readable subject to the umask', () => {
    const path = folder.path('public');
    const umask = process.umask(0o022);
    try {
      createPublicFile(path, Buffer.from('text'));
      process.umask(0o077);
      createPublicFile(`${path}-closed`, Buffer.from('text'));
    } finally {
      process.umask(umask);
    }
    expect(readFileSync(path, 'utf8')).to.equal('text');
    expect(statSync(path).mode & 0o777).to.equal(0o644);
    expect(statSync(`${path}-closed`).mode & 0o777).to.equal(0o600);
  });

  it('replaces an existing file atomically with replacePublicFile', () => {
    const path = folder.file('public', 'first');
    replacePublicFile(path, Buffer.from('second'));
    expect(readFileSync(path, 'utf8')).to.equal('second');
    expect(readdirSync(dirname(path))).to.deep.equal(['public']);
    const refused = thrownBy(() => replacePublicFile(folder.path('missing/public'), Buffer.from('x')));
    expect(refused).to.be.instanceOf(OperatorError);
    expect(refused.message).to.equal(
      `${folder.path('missing/public')}: its folder does not exist; create the folder first.`,
    );
  });
});
