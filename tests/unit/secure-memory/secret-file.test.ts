import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import { isExistingFile, KeyFileError } from '../../../src/secure-memory/key-file-error.ts';
import { withLockedBytes } from '../../../src/secure-memory/locked-buffer.ts';
import { createPublicFile, createSecretFile, withSecretFile } from '../../../src/secure-memory/secret-file.ts';
import { runFixture } from './child-process.ts';
import { useTemporaryFolder } from './temporary-folder.ts';
import { thrownBy } from './thrown-by.ts';
import { unprivileged } from './unprivileged.ts';

describe('withSecretFile', () => {
  const folder = useTemporaryFolder();
  const refusal = (path: string, maxBytes = 100): Error => thrownBy(() => withSecretFile(path, maxBytes, () => 'lent'));

  it('lends exactly the bytes of the file, up to the limit', () => {
    for (const size of [1, 2, 99, 100]) {
      const content = randomBytes(size);
      const path = folder.file(`secret-${size}`, content);
      expect(
        withSecretFile(path, 100, (bytes) => bytes.equals(content)),
        `${size} bytes`,
      ).to.equal(true);
    }
  });

  it('reads more than a page', () => {
    const content = randomBytes(70_000);
    const path = folder.file('large', content);
    expect(withSecretFile(path, 70_000, (bytes) => bytes.equals(content))).to.equal(true);
  });

  it('follows symbolic links, as Kubernetes mounts secrets', () => {
    mkdirSync(folder.path('..data-1'));
    writeFileSync(folder.path('..data-1/key'), 'secret');
    symlinkSync('..data-1', folder.path('..data'));
    symlinkSync('..data/key', folder.path('key'));
    expect(withSecretFile(folder.path('key'), 100, (bytes) => bytes.length)).to.equal(6);
  });

  it('takes the memory away when use returns and when it throws, and passes on result and error', () => {
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

  it('closes the file, however it ends', () => {
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

  it('names the file and what to do', () => {
    const missing = folder.path('missing');
    expect(refusal(missing)).to.be.instanceOf(KeyFileError);
    expect(refusal(missing).message).to.equal(`${missing}: there is no such file; check the path`);
    expect(refusal(missing)).to.have.property('file', missing);
    expect(refusal(folder.path('')).message).to.contain('it is a folder');
    expect(refusal(`${folder.file('file', 'x')}/inside`).message).to.contain('no folder');
    expect(refusal(folder.file('empty', '')).message).to.contain('it is empty');
    expect(refusal(folder.file('large', Buffer.alloc(101))).message).to.contain('more than the 100 bytes');
    expect(refusal(`${missing}\0`)).to.be.instanceOf(KeyFileError);
  });

  it('says that the file may not be read', () => {
    const path = folder.file('secret', 'content');
    chmodSync(path, 0);
    expect(unprivileged(() => refusal(path)).message).to.contain('may not read it');
  });

  it('refuses a dangling and a circular link', () => {
    symlinkSync('nowhere', folder.path('dangling'));
    symlinkSync('circular', folder.path('circular'));
    expect(refusal(folder.path('dangling')).message).to.contain('no such file');
    expect(refusal(folder.path('circular')).message).to.contain('lead in a circle');
  });

  it('refuses devices and pipes, without waiting for a writer', () => {
    execFileSync('mkfifo', [folder.path('pipe')]);
    expect(refusal(folder.path('pipe')).message).to.contain('no regular file');
    expect(refusal('/dev/zero').message).to.contain('no regular file');
  });

  it('refuses a file that changes its size while it is read', () => {
    const path = folder.file('changing', 'content');
    expect(
      betweenSizeAndReading(
        () => truncateSync(path, 8),
        () => refusal(path),
      ).message,
    ).to.contain('it changed');
    expect(
      betweenSizeAndReading(
        () => truncateSync(path, 3),
        () => refusal(path),
      ).message,
    ).to.contain('it changed');
  });
});

describe('createSecretFile', () => {
  const folder = useTemporaryFolder();

  it('writes exactly the bytes, for the owner alone', () => {
    const content = randomBytes(5000);
    const path = folder.path('secret');
    withLockedBytes(content.length, (bytes) => {
      content.copy(bytes);
      createSecretFile(path, bytes);
    });
    expect(readFileSync(path).equals(content)).to.equal(true);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
  });

  it('writes a view without what surrounds it', () => {
    createSecretFile(folder.path('secret'), Buffer.from('before-secret-after').subarray(7, 13));
    expect(readFileSync(folder.path('secret'), 'utf8')).to.equal('secret');
  });

  it('leaves what exists as it is and says so with an error of its own', () => {
    const path = folder.file('taken', 'first');
    const error = thrownBy(() => createSecretFile(path, Buffer.from('second')));
    expect(error).to.be.instanceOf(KeyFileError).and.to.satisfy(isExistingFile);
    expect(error.message).to.contain(path).and.to.contain('exists already');
    expect(readFileSync(path, 'utf8')).to.equal('first');
  });

  it('does not write through a dangling link', () => {
    symlinkSync(folder.path('target'), folder.path('link'));
    expect(thrownBy(() => createSecretFile(folder.path('link'), Buffer.from('x')))).to.satisfy(isExistingFile);
    expect(existsSync(folder.path('target'))).to.equal(false);
  });

  it('says which folder is missing or closed', () => {
    const inMissing = thrownBy(() => createSecretFile(folder.path('missing/secret'), Buffer.from('x')));
    expect(inMissing).to.be.instanceOf(KeyFileError).and.not.to.satisfy(isExistingFile);
    expect(inMissing.message).to.contain('its folder does not exist');
    mkdirSync(folder.path('closed'), 0o500);
    const inClosed = unprivileged(() =>
      thrownBy(() => createSecretFile(folder.path('closed/secret'), Buffer.from('x'))),
    );
    expect(inClosed.message).to.contain('may not create a file');
  });

  it('leaves no part of a file that can not be written', () => {
    const path = folder.path('secret');
    const child = runFixture('create-secret-file.ts', [path], 'ulimit -f 0');
    expect(child.stdout).to.contain('KeyFileError').and.to.contain(`${path}: it could not be written (EFBIG)`);
    expect(existsSync(path)).to.equal(false);
  });
});

/** Lets `change` happen after the file's size was asked for and before its content is read. */
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

  it('writes exactly the bytes, for everybody to read as far as the umask lets them', () => {
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

  it('leaves what exists as it is', () => {
    const path = folder.file('taken', 'first');
    expect(thrownBy(() => createPublicFile(path, Buffer.from('second')))).to.satisfy(isExistingFile);
    expect(readFileSync(path, 'utf8')).to.equal('first');
  });
});
