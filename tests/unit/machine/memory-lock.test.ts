import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { checkMemoryLock } from '../../../src/machine/memory-lock.ts';
import { programAt } from '../../programs/program.ts';
import { limitsText } from './proc-limits-text.ts';
import { useTemporaryTree } from './temporary-tree.ts';

const PLAIN = { hasPreviousKey: false, hasPassphrase: false };
const PRINTER = programAt(new URL('./fixtures/print-memory-lock.ts', import.meta.url));

/** Root is exempt from the limit by a capability, and without it is not. */
const EXEMPT = process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-ipc_lock', '--inh-caps=-ipc_lock'] : [];

/** What a process finds that may lock so many KiB. */
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

  it('is content when memory can be locked within the limit, and says how much', () => {
    proc.write({ 'self/limits': limitsText({ memlock: '8388608' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path())).to.deep.equal({
      check: 'memlock',
      state: 'ok',
      message: '8 MiB may be locked',
      remedy: null,
    });
  });

  it('locks as much more as a key for answers takes, where there is one', () => {
    const lengths: (readonly number[])[] = [];
    const note = (all: readonly number[]) => void lengths.push(all);
    checkMemoryLock(true, PLAIN, proc.path(), note);
    checkMemoryLock(true, { ...PLAIN, hasServiceKey: true }, proc.path(), note);
    expect((lengths[1]?.length ?? 0) - (lengths[0]?.length ?? 0)).to.equal(1);
  });

  it('is content without any limit, and where the limit is not shown', () => {
    expect(checkMemoryLock(true, PLAIN, proc.path()).state).to.equal('ok');
    proc.write({ 'self/limits': limitsText({ memlock: 'unlimited' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path()).message).to.equal('any amount may be locked');
  });

  // Measured: the least limits, in KiB, under which the service starts and reloads with sealed accounts, with pages of 4 KiB.
  for (const [name, use, kibibytes] of [
    ['a plain master key', PLAIN, 44],
    ['a previous key beside it', { hasPreviousKey: true, hasPassphrase: false }, 52],
    ['a passphrase', { hasPreviousKey: false, hasPassphrase: true }, 76],
    ['both', { hasPreviousKey: true, hasPassphrase: true }, 84],
  ] as const) {
    it(`locks what the service takes with ${name}, all at one time`, () => {
      const pages: number[] = [];
      checkMemoryLock(true, use, proc.path(), (lengths) =>
        pages.push(...lengths.map((length) => Math.ceil((length + 16) / 4096))),
      );
      expect(pages.reduce((sum, count) => sum + count, 0) * 4).to.equal(kibibytes);
    });
  }

  if (process.platform === 'linux') {
    it('fails under a limit that is one page too low, and only warns under one that just does', () => {
      expect(findUnderLimit(40)).to.deep.include({ state: 'fail' });
      expect(findUnderLimit(44)).to.deep.include({ state: 'warning' });
      expect(findUnderLimit(64)).to.deep.include({ state: 'ok' });
    }).timeout(30_000);
  }

  it('fails when memory can not be locked, names the limit and says how to raise it', () => {
    proc.write({ 'self/limits': limitsText({ memlock: '4096' }) });
    const { state, message, remedy } = checkMemoryLock(true, PLAIN, proc.path(), refuse);
    expect(state).to.equal('fail');
    expect(message).to.include('the limit is 4 KiB').and.include('takes 44 KiB');
    expect(remedy).to.include('ulimit -l').and.include('LimitMEMLOCK').and.include('--ulimit memlock');
    // An ordinary user can't raise the limit beyond the hard one.
    expect(remedy).to.include('/etc/security/limits.conf');
  });

  it('only warns of that where the service goes on without', () => {
    const { state, message } = checkMemoryLock(false, PLAIN, proc.path(), refuse);
    expect(state).to.equal('warning');
    expect(message).to.include('swap');
  });

  it('warns when it worked although the limit is below what the service needs', () => {
    proc.write({ 'self/limits': limitsText({ memlock: '65535' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path()).state).to.equal('warning');
    proc.write({ 'self/limits': limitsText({ memlock: '65536' }) });
    expect(checkMemoryLock(true, PLAIN, proc.path()).state).to.equal('ok');
  });
});
