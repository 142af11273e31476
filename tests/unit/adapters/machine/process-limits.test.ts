import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { readLimit } from '../../../../src/adapters/machine/process-limits.ts';
import { formatLimits, useTemporaryTree } from './fake-machine.ts';

describe('readLimit', () => {
  const proc = useTemporaryTree();

  it('reads the soft limit in bytes', () => {
    proc.write({ 'self/limits': formatLimits({ core: '4096', memlock: '65536' }) });
    expect(readLimit('Max core file size', proc.path())).to.equal(4096);
    expect(readLimit('Max locked memory', proc.path())).to.equal(65_536);
    expect(readLimit('Max open files', proc.path())).to.equal(20_000);
  });

  it('reads the hard limit on request, and unlimited as Infinity', () => {
    proc.write({ 'self/limits': formatLimits({ core: '0', coreHard: 'unlimited' }) });
    expect(readLimit('Max core file size', proc.path(), 'hard')).to.equal(Number.POSITIVE_INFINITY);
    expect(readLimit('Max core file size', proc.path(), 'soft')).to.equal(0);
  });

  it('returns undefined for an unlisted or malformed limit', () => {
    expect(readLimit('Max locked memory', proc.path())).to.equal(undefined);
    proc.write({ 'self/limits': 'Max locked memory         8MB          8MB          bytes\n' });
    expect(readLimit('Max locked memory', proc.path())).to.equal(undefined);
    expect(readLimit('Max core file size', proc.path())).to.equal(undefined);
  });

  if (process.platform === 'linux') {
    it('agrees with the shell', () => {
      const { stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -Sc'], { encoding: 'utf8' });
      const blocks = stdout.trim();
      // The shell counts blocks of 512 bytes.
      const expected = blocks === 'unlimited' ? Number.POSITIVE_INFINITY : Number(blocks) * 512;
      expect(readLimit('Max core file size')).to.equal(expected);
    });
  }
});
