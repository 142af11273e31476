import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import {
  type OpenOptions,
  openRegularFile,
  openRegularFileSync,
  UnsuitableFileError,
  withRegularFile,
} from '../../../../src/adapters/files/open-regular-file.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';

/** Both functions' ways to read a file. */
const WAYS: { readonly [name: string]: (path: string, options?: OpenOptions) => Promise<string> } = {
  openRegularFile: async (path, options) => {
    const { handle, stats } = await openRegularFile(path, options);
    const text = await handle.readFile('utf8');
    await handle.close();
    expect(Number(stats.size)).to.equal(Buffer.byteLength(text));
    return text;
  },
  withRegularFile: (path, options = {}) => withRegularFile(path, options, ({ handle }) => handle.readFile('utf8')),
  openRegularFileSync: async (path, options) => {
    const { descriptor, stats } = openRegularFileSync(path, options);
    const text = readFileSync(descriptor, 'utf8');
    closeSync(descriptor);
    expect(stats.size).to.equal(Buffer.byteLength(text));
    return text;
  },
};

for (const [name, read] of Object.entries(WAYS)) {
  describe(name, () => {
    const folder = useTemporaryFolder();

    async function expectRefused(code: string, path: string, options?: OpenOptions): Promise<unknown> {
      const open = readdirSync('/dev/fd').length;
      const error: unknown = await read(path, options).then(
        () => expect.fail('It was opened.'),
        (reason: unknown) => reason,
      );
      expect(error, path).to.include({ code });
      expect(readdirSync('/dev/fd').length, 'open files').to.equal(open);
      return error;
    }

    it('opens a file up to the maximum size', async () => {
      const path = folder.file('file', 'text');
      expect(await read(path)).to.equal('text');
      expect(await read(path, { maxBytes: 4 })).to.equal('text');
      expect(await expectRefused('EFBIG', path, { maxBytes: 3 })).to.be.instanceOf(UnsuitableFileError);
    });

    it('follows links unless told not to', async () => {
      symlinkSync(folder.file('file', 'text'), folder.path('link'));
      expect(await read(folder.path('link'))).to.equal('text');
      await expectRefused('ELOOP', folder.path('link'), { noFollow: true });
    });

    it('refuses folders, devices and pipes, without waiting for a writer', async () => {
      mkdirSync(folder.path('folder'));
      execFileSync('mkfifo', [folder.path('pipe')]);
      expect(await expectRefused('EISDIR', folder.path('folder'))).to.be.instanceOf(UnsuitableFileError);
      for (const path of [folder.path('pipe'), '/dev/zero']) {
        expect(await expectRefused('EINVAL', path)).to.be.instanceOf(UnsuitableFileError);
      }
    });

    it('propagates the system error for a missing file', async () => {
      await expectRefused('ENOENT', folder.path('missing'));
    });
  });
}

describe('withRegularFile', () => {
  const folder = useTemporaryFolder();

  it('propagates an error of the callback, and closes the file', async () => {
    const open = readdirSync('/dev/fd').length;
    const thrown = new RangeError('on purpose');
    const error: unknown = await withRegularFile(folder.file('file', 'text'), {}, () => Promise.reject(thrown)).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.equal(thrown);
    expect(readdirSync('/dev/fd').length).to.equal(open);
  });
});
