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

  it('grants more permits than exist only if none is in use', async () => {
    const permits = semaphore(2);
    const release = permits.tryAcquire();
    const waiting = permits.acquire(STAYS, 5);
    expect(await isSettled(waiting)).to.equal(false);
    release?.();
    const large = await waiting;
    expect(permits.inUse).to.equal(5);
    expect(permits.tryAcquire()).to.equal(null);
    large?.();
    expect(permits.inUse).to.equal(0);
  });

  it('refuses if the queue is full', async () => {
    const permits = semaphore(1, 1);
    permits.tryAcquire();
    void permits.acquire(STAYS);
    expect(permits.isFull).to.equal(true);
    expect(await permits.acquire(STAYS)).to.equal(null);
  });

  it('refuses if the wait times out, and serves the next', async () => {
    const permits = semaphore(2, 100, 20);
    permits.tryAcquire();
    const tooLarge = permits.acquire(STAYS, 2);
    const later = permits.acquire(STAYS, 1);
    expect(await tooLarge).to.equal(null);
    expect(await later).not.to.equal(null);
    expect(permits.waiting).to.equal(0);
  });

  it('drops a requester that disconnects, before or while it waits', async () => {
    const permits = semaphore(2);
    permits.tryAcquire();
    expect(await permits.acquire(Object.assign(new EventEmitter(), { destroyed: true }))).to.equal(null);
    const gone = new EventEmitter();
    const leaving = permits.acquire(gone, 2);
    const later = permits.acquire(STAYS, 1);
    gone.emit('close');
    expect(await leaving).to.equal(null);
    expect(await later).not.to.equal(null);
    expect(gone.listenerCount('close')).to.equal(0);
  });
});
