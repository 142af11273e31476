import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { Semaphore } from '../../../../../src/adapters/http/admission/semaphore.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';

const STAYS = new EventEmitter().setMaxListeners(0);
const LONG_MS = 60_000;

function semaphore(permits: number, maxWaiting = 100, maxWaitMs = LONG_MS): Semaphore {
  return new Semaphore({ permits, maxWaiting, maxWaitMs });
}

describe('Semaphore', () => {
  it('grants its permits at once, and the next one to the first waiter', async () => {
    const permits = semaphore(1);
    const release = permits.tryAcquire();
    expect(permits.tryAcquire()).to.equal(null);
    const [first, second] = [permits.acquire(STAYS), permits.acquire(STAYS)];
    release?.();
    const next = await first;
    expect(next).not.to.equal(null);
    expect(await isSettled(second)).to.equal(false);
    next?.();
    expect(await second).not.to.equal(null);
  });

  it('grants a released permit to a waiter, not to a later requester', async () => {
    const permits = semaphore(3);
    const release = permits.tryAcquire(2);
    const waiting = permits.acquire(STAYS, 2);
    expect(permits.tryAcquire(1)).to.equal(null);
    release?.();
    expect(await waiting).not.to.equal(null);
    expect(permits.inUse).to.equal(2);
  });

  it('refuses at once if the queue is full, or the requester has left', async () => {
    const permits = semaphore(1, 1);
    const release = permits.tryAcquire();
    const waiting = permits.acquire(STAYS);
    expect(permits.isFull).to.equal(true);
    expect(await permits.acquire(STAYS)).to.equal(null);
    release?.();
    (await waiting)?.();
    expect(await permits.acquire(Object.assign(new EventEmitter(), { destroyed: true }))).to.equal(null);
    expect(permits.inUse).to.equal(0);
  });

  it('serves the next when one that waits leaves', async () => {
    const permits = semaphore(2);
    permits.tryAcquire();
    const gone = new EventEmitter();
    const [leaving, later] = [permits.acquire(gone, 2), permits.acquire(STAYS)];
    gone.emit('close');
    expect(await leaving).to.equal(null);
    expect(await later).not.to.equal(null);
  });
});
