import { closeSync, openSync } from 'node:fs';
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
});
