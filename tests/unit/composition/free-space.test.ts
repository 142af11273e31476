import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { FreeSpace } from '../../../src/composition/audit-disk-watch.ts';

describe('FreeSpace', () => {
  it('tells how many bytes may still be written in a folder', async () => {
    const { bavail, bsize } = statfsSync(tmpdir());
    expect(await new FreeSpace(tmpdir()).bytes()).to.be.within((bavail * bsize) / 2, bavail * bsize * 2);
  });

  it('is null where there is no such folder', async () => {
    expect(await new FreeSpace('/no/such/folder').bytes()).to.equal(null);
  });

  it('is null while a disk does not answer, which is asked once, and told again when it does', async () => {
    let asked = 0;
    let answer: (bytes: number) => void = () => undefined;
    const space = new FreeSpace('/hanging', () => {
      asked += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    expect(await Promise.all([space.bytes(), space.bytes()])).to.deep.equal([null, null]);
    const late = space.bytes();
    expect(asked).to.equal(1);
    answer(42);
    expect(await late).to.equal(42);
    void space.bytes();
    expect(asked).to.equal(2);
    answer(43);
  });
});
