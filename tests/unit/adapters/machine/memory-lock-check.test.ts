import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkMemoryLock } from '../../../../src/adapters/machine/memory-lock-check.ts';
import { formatLimits, useTemporaryTree } from './fake-machine.ts';

const PLAIN = { hasPreviousKey: false, hasPassphrase: false };
const PRINTER = fileURLToPath(new URL('./fixtures/print-memory-lock.js', import.meta.url));

/** Root bypasses the limit through a capability. */
const EXEMPT = process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-ipc_lock', '--inh-caps=-ipc_lock'] : [];

/** The finding of a process with this limit, KiB. */
function findUnderLimit(kibibytes: number): object {
  const command = [...EXEMPT, process.execPath, PRINTER];
  const run = spawnSync('sh', ['-c', `ulimit -l ${kibibytes} && exec "$@"`, 'sh', ...command], { encoding: 'utf8' });
  return run.stdout === '' ? expect.fail(run.stderr) : JSON.parse(run.stdout);
}

const refuse = (): never => {
  throw new Error('not locked');
};

describe('checkMemoryLock', () => {
  const proc = useTemporaryTree();

  it('passes when memory can be locked within the limit, naming the amount', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: '8388608' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path())).to.deep.equal({
      check: 'memlock',
      state: 'ok',
      message: '8 MiB can be locked',
      remedy: null,
    });
  });

  it('passes without a limit', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: 'unlimited' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path()).message).to.equal('any amount can be locked');
  });

  it('locks more for a response key', () => {
    const lengths: (readonly number[])[] = [];
    const note = (all: readonly number[]) => void lengths.push(all);
    checkMemoryLock(true, PLAIN, proc.path(), note);
    checkMemoryLock(true, { ...PLAIN, hasServiceKey: true }, proc.path(), note);
    expect((lengths[1]?.length ?? 0) - (lengths[0]?.length ?? 0)).to.equal(1);
  });

  it('locks all the memory that the service needs at once', () => {
    // Measured with 4 KiB pages: minimum limits, KiB, to start and reload with sealed accounts.
    for (const [use, kibibytes] of [
      [PLAIN, 44],
      [{ hasPreviousKey: true, hasPassphrase: false }, 52],
      [{ hasPreviousKey: false, hasPassphrase: true }, 76],
      [{ hasPreviousKey: true, hasPassphrase: true }, 84],
    ] as const) {
      const pages: number[] = [];
      checkMemoryLock(true, use, proc.path(), (lengths) =>
        pages.push(...lengths.map((length) => Math.ceil((length + 16) / 4096))),
      );
      expect(pages.reduce((sum, count) => sum + count, 0) * 4).to.equal(kibibytes);
    }
  });

  if (process.platform === 'linux') {
    it('fails with a limit one page below the need, and warns with one equal to it', () => {
      expect(findUnderLimit(40)).to.deep.include({ state: 'fail' });
      expect(findUnderLimit(44)).to.deep.include({ state: 'warning' });
    }).timeout(30_000);
  }

  it('fails when memory cannot be locked, naming the limit and the remedy', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: '4096' }) });
    const { state, message, remedy } = checkMemoryLock(true, PLAIN, proc.path(), refuse);
    expect(state).to.equal('fail');
    expect(message).to.include('the limit is 4 KiB').and.include('needs 44 KiB');
    expect(remedy).to.include('ulimit -l').and.include('LimitMEMLOCK').and.include('--ulimit memlock');
    // An ordinary user cannot raise the hard limit.
    expect(remedy).to.include('/etc/security/limits.conf');
  });

  it('only warns if locking is optional', () => {
    const { state, message } = checkMemoryLock(false, PLAIN, proc.path(), refuse);
    expect(state).to.equal('warning');
    expect(message).to.include('swap');
  });

  it('warns if locking succeeds although the limit is too low', () => {
    proc.write({ 'self/limits': formatLimits({ memlock: '65535' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path()).state).to.equal('warning');
    proc.write({ 'self/limits': formatLimits({ memlock: '65536' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path()).state).to.equal('ok');
  });
});
