import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { syncFolder } from '../../../src/files/sync-folder.ts';

describe('syncFolder', () => {
  let prototype: FileHandle;
  let original: FileHandle['sync'];
  let syncs: number;

  beforeEach(async () => {
    const handle = await open('/dev/null');
    prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    original = prototype.sync;
    syncs = 0;
    prototype.sync = function () {
      syncs += 1;
      return original.call(this);
    };
  });
  afterEach(() => {
    prototype.sync = original;
  });

  /** What the file system answers to fsync of a folder. */
  function answerWith(code: string): void {
    prototype.sync = async () => {
      throw Object.assign(new Error('on purpose'), { code });
    };
  }

  it('syncs the folder', async () => {
    await syncFolder(tmpdir());
    expect(syncs).to.equal(1);
  });

  it('takes no offence at a file system that has no such operation', async () => {
    answerWith('EINVAL');
    await syncFolder(tmpdir());
  });

  for (const code of ['EIO', 'ENOSPC']) {
    it(`passes ${code} on`, async () => {
      answerWith(code);
      expect(await syncFolder(tmpdir()).catch((error: unknown) => error)).to.include({ code });
    });
  }

  it('passes on that there is no such folder', async () => {
    const error: unknown = await syncFolder(join(tmpdir(), 'there-is-no-such-folder')).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.include({ code: 'ENOENT' });
  });
});
