import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { countOpenFiles, processRegistry } from '../../../../src/adapters/observability/process-registry.ts';

describe('processRegistry', () => {
  it('shows the lag that a sample met since the previous scrape, and none of the time between samples', async () => {
    const read = async (statistic: string) => {
      const [, value] =
        new RegExp(`^nodejs_eventloop_lag_${statistic}_seconds (.*)$`, 'm').exec(await processRegistry().metrics()) ??
        [];
      return Number(value);
    };
    await read('max');
    await sleep(1500);
    // Longer than the interval, so that one sample is late.
    for (const startedAt = performance.now(); performance.now() - startedAt < 1800; );
    await sleep(10);
    expect(await read('max')).to.be.within(0.5, 5);
    await sleep(1100);
    expect(await read('min')).to.be.within(0, 0.5);
  });
});

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
