import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkMemoryLock, checkOpenFiles } from '../../../../src/adapters/machine/process-limits.ts';
import { underLimit } from '../../../harness/locked-memory.ts';
import { formatLimits, issueOf, useTemporaryTree } from './fake-machine.ts';

const PRINTER = fileURLToPath(new URL('./fixtures/print-memory-lock.js', import.meta.url));

/** What a process with this limit finds, KiB. */
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
    for (const [memlock, message] of [
      ['8388608', '8 MiB can be locked'],
      ['unlimited', 'any amount can be locked'],
    ] as const) {
      proc.write({ 'self/limits': formatLimits({ memlock }) });
      expect(checkMemoryLock(true, proc.path())).to.equal(message);
    }
  });

  if (process.platform === 'linux') {
    it('fails with a limit one page below the need, and passes with one equal to it', () => {
      expect(findUnderLimit(60)).to.deep.include({ state: 'fail' });
      expect(findUnderLimit(64)).to.equal('64 KiB can be locked');
    }).timeout(30_000);
  }

  it('fails when memory cannot be locked, naming the limit and the remedy; only warns if locking is optional', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: '4096' }) });
    const { state, message, remedy } = issueOf(checkMemoryLock(true, proc.path(), refuse));
    expect(state).to.equal('fail');
    expect(message).to.include('the limit is 4 KiB').and.include('needs 64 KiB');
    expect(remedy).to.include('ulimit -l').and.include('LimitMEMLOCK').and.include('--ulimit memlock');
    // An ordinary user cannot raise the hard limit.
    expect(remedy).to.include('/etc/security/limits.conf');
    const optional = issueOf(checkMemoryLock(false, proc.path(), refuse));
    expect(optional.state).to.equal('warning');
    expect(optional.message).to.include('swap');
  });
});

describe('checkOpenFiles', () => {
  const proc = useTemporaryTree();

  function check(files: string) {
    proc.write({ 'self/limits': formatLimits({ files }) });
    return checkOpenFiles(8192, proc.path());
  }

  it('warns unless the limit leaves room for the files of the service, and names the setting', () => {
    const { state, message, remedy } = issueOf(check('8319'));
    expect(state).to.equal('warning');
    expect(message).to.include('8319').and.include('8192');
    expect(remedy).to.include('LimitNOFILE=8320').and.include('ulimit -Hn 8320');
    for (const limit of ['8320', 'unlimited']) expect(check(limit), limit).to.be.a('string');
  });

  it('accepts a system that exposes no limits', () => {
    expect(checkOpenFiles(8192, proc.path('nowhere'))).to.match(/^unknown/);
  });
});
