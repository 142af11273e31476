import { expect } from 'chai';
import { checkMemoryLock } from '../../../src/machine/memory-lock.ts';
import { limitsText } from './proc-limits-text.ts';
import { useTemporaryTree } from './temporary-tree.ts';

const refuse = (): never => {
  throw new Error('not locked');
};

describe('checkMemoryLock', () => {
  const proc = useTemporaryTree();

  it('is content when memory can be locked within the limit, and says how much', () => {
    proc.write({ 'self/limits': limitsText({ memlock: '8388608' }) });
    expect(checkMemoryLock(true, proc.path())).to.deep.equal({
      check: 'memlock',
      state: 'ok',
      message: '8 MiB may be locked',
      remedy: null,
    });
  });

  it('is content without any limit, and where the limit is not shown', () => {
    expect(checkMemoryLock(true, proc.path()).state).to.equal('ok');
    proc.write({ 'self/limits': limitsText({ memlock: 'unlimited' }) });
    expect(checkMemoryLock(true, proc.path()).message).to.equal('any amount may be locked');
  });

  it('really locks, and no more than a low limit allows', () => {
    const locked: number[] = [];
    checkMemoryLock(true, proc.path(), (bytes) => locked.push(bytes));
    expect(locked).to.have.length(1);
    expect(locked[0]).to.be.within(4096, 32 * 1024);
  });

  it('fails when memory can not be locked, names the limit and says how to raise it', () => {
    proc.write({ 'self/limits': limitsText({ memlock: '4096' }) });
    const { state, message, remedy } = checkMemoryLock(true, proc.path(), refuse);
    expect(state).to.equal('fail');
    expect(message).to.include('4 KiB');
    expect(remedy).to.include('ulimit -l').and.include('LimitMEMLOCK').and.include('--ulimit memlock');
  });

  it('only warns of that where the service goes on without', () => {
    const { state, message } = checkMemoryLock(false, proc.path(), refuse);
    expect(state).to.equal('warning');
    expect(message).to.include('swap');
  });

  it('warns when it worked although the limit is below what the service needs', () => {
    proc.write({ 'self/limits': limitsText({ memlock: '65535' }) });
    expect(checkMemoryLock(true, proc.path()).state).to.equal('warning');
    proc.write({ 'self/limits': limitsText({ memlock: '65536' }) });
    expect(checkMemoryLock(true, proc.path()).state).to.equal('ok');
  });
});
