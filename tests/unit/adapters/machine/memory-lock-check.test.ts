import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkMemoryLock } from '../../../../src/adapters/machine/memory-lock-check.ts';
import { underLimit } from '../../../harness/locked-memory.ts';
import { formatLimits, useTemporaryTree } from './fake-machine.ts';

const PRINTER = fileURLToPath(new URL('./fixtures/print-memory-lock.js', import.meta.url));

/** The finding of a process with this limit, KiB. */
function findUnderLimit(kibibytes: number): object {
  const [shell = '', ...args] = [...underLimit(kibibytes), process.execPath, PRINTER];
  const run = spawnSync(shell, args, { encoding: 'utf8' });
  return run.stdout === '' ? expect.fail(run.stderr) : JSON.parse(run.stdout);
}

const refuse = (): never => {
  throw new Error('not locked');
};

describe('checkMemoryLock', () => {
  const proc = useTemporaryTree();

  it('passes when memory can be locked within the limit, naming the amount', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: '8388608' }) });
    expect(checkMemoryLock(true, proc.path())).to.deep.equal({
      check: 'memlock',
      state: 'ok',
      message: '8 MiB can be locked',
      remedy: null,
    });
  });

  it('passes without a limit', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: 'unlimited' }) });
    expect(checkMemoryLock(true, proc.path()).message).to.equal('any amount can be locked');
  });

  it('locks 64 KiB in whole pages', () => {
    const lengths: number[] = [];
    checkMemoryLock(true, proc.path(), (length) => void lengths.push(length));
    expect(lengths).to.deep.equal([65_520]);
  });

  if (process.platform === 'linux') {
    it('fails with a limit one page below the need, and passes with one equal to it', () => {
      expect(findUnderLimit(60)).to.deep.include({ state: 'fail' });
      expect(findUnderLimit(64)).to.deep.include({ state: 'ok', message: '64 KiB can be locked' });
    }).timeout(30_000);
  }

  it('fails when memory cannot be locked, naming the limit and the remedy', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: '4096' }) });
    const { state, message, remedy } = checkMemoryLock(true, proc.path(), refuse);
    expect(state).to.equal('fail');
    expect(message).to.include('the limit is 4 KiB').and.include('needs 64 KiB');
    expect(remedy).to.include('ulimit -l').and.include('LimitMEMLOCK').and.include('--ulimit memlock');
    // An ordinary user cannot raise the hard limit.
    expect(remedy).to.include('/etc/security/limits.conf');
  });

  it('only warns if locking is optional', () => {
    const { state, message } = checkMemoryLock(false, proc.path(), refuse);
    expect(state).to.equal('warning');
    expect(message).to.include('swap');
  });
});
