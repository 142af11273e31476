import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Permit,
  SigningLimiter,
  type WorkKind,
} from '../../../../../../src/adapters/driving/http/overload/signing-limiter.ts';
import { isSettled } from '../../../../domain/services/is-settled.ts';

const STAYS = new EventEmitter().setMaxListeners(0);
const LONG_MS = 60_000;

function limiter(maxInFlight: number, maxQueue = 100, maxWaitMs = LONG_MS): SigningLimiter {
  return new SigningLimiter({ maxInFlight, maxQueue, maxWaitMs });
}

async function permitted(acquiring: Promise<Permit | null>): Promise<Permit> {
  return (await acquiring) ?? expect.fail('was refused');
}

/** A batch whose items have room. */
async function batch(of: SigningLimiter, items: number): Promise<Permit> {
  const permit = await permitted(of.acquire('batch', STAYS));
  expect(await permit.reserve(items, STAYS)).to.equal(true);
  return permit;
}

describe('SigningLimiter', () => {
  it('lets in as many single requests as a quarter of all, and the next when one is done', async () => {
    const of = limiter(8);
    const [first] = [await permitted(of.acquire('single', STAYS)), await permitted(of.acquire('single', STAYS))];
    const third = of.acquire('single', STAYS);
    expect(await isSettled(third)).to.equal(false);
    expect(of.load).to.deep.equal({ inFlight: 2, queued: 1 });
    first.release();
    await permitted(third);
    expect(of.load).to.deep.equal({ inFlight: 2, queued: 0 });
  });

  it('takes a permit back once, however often it is released', async () => {
    const of = limiter(1);
    const first = await permitted(of.acquire('single', STAYS));
    first.release();
    first.release();
    await permitted(of.acquire('single', STAYS));
    expect(await isSettled(of.acquire('single', STAYS))).to.equal(false);
  });

  it('gives no permit to a requester that went away before, and no room to its batch', async () => {
    const of = limiter(4, 2);
    const gone = Object.assign(new EventEmitter(), { destroyed: true });
    await permitted(of.acquire('single', STAYS));
    expect(await of.acquire('single', gone)).to.equal(null);
    const big = await batch(of, 3);
    const dead = await permitted(of.acquire('batch', STAYS));
    expect(await dead.reserve(3, gone)).to.equal(false);
    dead.release();
    big.release();
    await batch(of, 3);
    expect(of.load).to.deep.equal({ inFlight: 4, queued: 0 });
  });

  it('refuses at once when the queue is full, and says so before', async () => {
    const of = limiter(1, 2);
    await permitted(of.acquire('single', STAYS));
    expect(of.isFull('single')).to.equal(false);
    void of.acquire('single', STAYS);
    void of.acquire('single', STAYS);
    expect(of.isFull('single')).to.equal(true);
    expect(await of.acquire('single', STAYS)).to.equal(null);
    expect(of.isFull('batch')).to.equal(false);
  });

  it('refuses a requester that has waited too long', async () => {
    const of = limiter(1, 2, 20);
    await permitted(of.acquire('single', STAYS));
    expect(await of.acquire('single', STAYS)).to.equal(null);
    expect(of.load.queued).to.equal(0);
  });

  it('forgets a requester that goes away while it waits', async () => {
    const of = limiter(1);
    const first = await permitted(of.acquire('single', STAYS));
    const gone = new EventEmitter();
    const second = of.acquire('single', gone);
    const third = of.acquire('single', STAYS);
    gone.emit('close');
    expect(await second).to.equal(null);
    expect(of.load.queued).to.equal(1);
    first.release();
    await permitted(third);
    expect(gone.listenerCount('close')).to.equal(0);
  });

  it('keeps a quarter for single requests, however many batches come', async () => {
    const of = limiter(8);
    await batch(of, 4);
    const second = await permitted(of.acquire('batch', STAYS));
    const reserved = second.reserve(3, STAYS);
    const third = of.acquire('batch', STAYS);
    for (let single = 0; single < 2; single += 1) await permitted(of.acquire('single', STAYS));
    expect(await isSettled(reserved)).to.equal(false);
    expect(await isSettled(third)).to.equal(false);
  });

  it('lets a batch wait that does not fit beside another, and those behind it', async () => {
    const of = limiter(8);
    const first = await batch(of, 4);
    const second = await permitted(of.acquire('batch', STAYS));
    const reserved = second.reserve(3, STAYS);
    const third = of.acquire('batch', STAYS);
    expect(of.load).to.deep.equal({ inFlight: 4, queued: 2 });
    first.release();
    expect(await reserved).to.equal(true);
    expect(await (await permitted(third)).reserve(3, STAYS)).to.equal(true);
    expect(of.load).to.deep.equal({ inFlight: 6, queued: 0 });
  });

  it('lets in a batch with more items than there is room for when no other is there, and leaves single requests their quarter', async () => {
    const of = limiter(8);
    const small = await batch(of, 1);
    const big = await permitted(of.acquire('batch', STAYS));
    const reserved = big.reserve(1000, STAYS);
    expect(await isSettled(reserved)).to.equal(false);
    small.release();
    expect(await reserved).to.equal(true);
    await permitted(of.acquire('single', STAYS));
    await permitted(of.acquire('single', STAYS));
    expect(await isSettled(of.acquire('single', STAYS))).to.equal(false);
  });

  it('lets no single requests keep a batch out', async () => {
    const of = limiter(8);
    for (let single = 0; single < 2; single += 1) await permitted(of.acquire('single', STAYS));
    void of.acquire('single', STAYS);
    await batch(of, 6);
    expect(of.load).to.deep.equal({ inFlight: 8, queued: 1 });
  });

  it('parses the next batch when one was malformed, found no room in time, or its requester went away', async () => {
    const of = limiter(4, 100, 20);
    (await permitted(of.acquire('batch', STAYS))).release();
    const first = await batch(of, 3);
    const late = await permitted(of.acquire('batch', STAYS));
    expect(await late.reserve(3, STAYS)).to.equal(false);
    late.release();
    const gone = new EventEmitter();
    const left = await permitted(of.acquire('batch', STAYS));
    const reserved = left.reserve(3, gone);
    gone.emit('close');
    expect(await reserved).to.equal(false);
    left.release();
    first.release();
    (await batch(of, 3)).release();
    expect(of.load).to.deep.equal({ inFlight: 0, queued: 0 });
  });

  it('queues a sixteenth as many batches as single requests, at least one', async () => {
    for (const [maxQueue, most] of [
      [160, 10],
      [1, 1],
    ] as const) {
      const of = limiter(8, maxQueue);
      await permitted(of.acquire('batch', STAYS));
      for (let waiting = 0; waiting < most; waiting += 1) {
        expect(of.isFull('batch')).to.equal(false);
        void of.acquire('batch', STAYS);
      }
      expect(of.isFull('batch')).to.equal(true);
    }
  });

  it('never has more in the making than it may, and ends empty, whatever comes and goes', async () => {
    const step = fc.record({
      kind: fc.constantFrom<WorkKind>('single', 'batch'),
      items: fc.integer({ min: 1, max: 12 }),
      leaves: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10 }), fc.array(step, { maxLength: 40 }), async (max, steps) => {
        const of = limiter(max, 1000);
        const inside: Permit[] = [];
        const works: Promise<void>[] = [];
        for (const { kind, items, leaves } of steps) {
          works.push(
            of.acquire(kind, STAYS).then(async (permit) => {
              if (permit === null) return;
              if (kind === 'batch') await permit.reserve(items, STAYS);
              inside.push(permit);
            }),
          );
          for (let count = 0; count < leaves; count += 1) inside.shift()?.release();
          await new Promise((resolve) => setImmediate(resolve));
          // A batch with more items than there is room for is alone, but for the quarter of single requests.
          expect(of.load.inFlight).to.be.at.most(Math.max(max, 12 + Math.ceil(max / 4)));
        }
        const all = Promise.all(works);
        while (!(await isSettled(all))) inside.shift()?.release();
        for (const permit of inside) permit.release();
        expect(of.load).to.deep.equal({ inFlight: 0, queued: 0 });
      }),
      { numRuns: 60 },
    );
  });
});
