import { closeSync, openSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { countOpenFiles } from '../../../../src/adapters/observability/process-registry.ts';

describe('countOpenFiles', () => {
  const isLinux = process.platform === 'linux';

  it('counts the open files of this process', async () => {
    const before = await countOpenFiles();
    const files = Array.from({ length: 50 }, () => openSync('/dev/null', 'r'));
    const after = await countOpenFiles();
    for (const file of files) closeSync(file);
    expect([before, after].includes(null)).to.equal(!isLinux);
    // Others may come and go meanwhile.
    if (isLinux) expect(Number(after) - Number(before)).to.be.within(40, 60);
  });

  it('lists the folder if its size is not the count, as on older systems', async () => {
    // Threads of this process, a folder whose size is not their number.
    if (isLinux) expect(statSync('/proc/self/task').size).to.equal(0);
    const counted = await countOpenFiles('/proc/self/task');
    expect(counted ?? 0).to.be.at.least(isLinux ? 2 : 0);
  });
});
