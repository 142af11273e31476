import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Admission,
  WorkGate,
  type WorkKind,
} from '../../../../../../src/adapters/driving/http/overload/work-gate.ts';
import { isSettled } from '../../../../domain/services/is-settled.ts';

const STAYS = new EventEmitter().setMaxListeners(0);
const LONG_MS = 60_000;

function gate(maxInFlight: number, maxQueue = 100, maxWaitMs = LONG_MS): WorkGate {
  return new WorkGate({ maxInFlight, maxQueue, maxWaitMs });
}

async function admitted(entering: Promise<Admission | null>): Promise<Admission> {
  return (await entering) ?? expect.fail('was refused');
}

/** A batch of so many items that was let in and found room. */
async function batch(of: WorkGate, items: number): Promise<Admission> {
  const admission = await admitted(of.enter('batch', STAYS));
  expect(await admission.weigh(items, STAYS)).to.equal(true);
  return admission;
}

describe('WorkGate', () => {
  it('lets in so many single requests as a quarter of all, and the next when one has left', async () => {
    const of = gate(8);
    const [first] = [await admitted(of.enter('single', STAYS)), await admitted(of.enter('single', STAYS))];
    const third = of.enter('single', STAYS);
    expect(await isSettled(third)).to.equal(false);
    expect(of.load).to.deep.equal({ inFlight: 2, queued: 1 });
    first.leave();
    await admitted(third);
    expect(of.load).to.deep.equal({ inFlight: 2, queued: 0 });
  });

  it('lets in at once whoever need not wait, and leaves those who do to the line', async () => {
    const of = gate(8);
    const [first] = [of.enterAtOnce('single', STAYS), of.enterAtOnce('single', STAYS)];
    expect(of.enterAtOnce('single', STAYS)).to.equal(null);
    expect(of.load).to.deep.equal({ inFlight: 2, queued: 0 });
    const waiting = of.enter('single', STAYS);
    first?.leave();
    // The place is that of the one who waits.
    expect(of.enterAtOnce('single', STAYS)).to.equal(null);
    (await admitted(waiting)).leave();
    expect(of.enterAtOnce('single', STAYS)).not.to.equal(null);
    expect(of.enterAtOnce('batch', STAYS)).not.to.equal(null);
    expect(of.enterAtOnce('batch', STAYS)).to.equal(null);
    expect(gate(8).enterAtOnce('single', Object.assign(new EventEmitter(), { destroyed: true }))).to.equal(null);
  });

  it('gives a place back once, however often it is left', async () => {
    const of = gate(1);
    const first = await admitted(of.enter('single', STAYS));
    first.leave();
    first.leave();
    await admitted(of.enter('single', STAYS));
    expect(await isSettled(of.enter('single', STAYS))).to.equal(false);
  });

  it('gives no place to who went away before, at the line or at the door', async () => {
    const of = gate(4, 2);
    const gone = Object.assign(new EventEmitter(), { destroyed: true });
    await admitted(of.enter('single', STAYS));
    expect(await of.enter('single', gone)).to.equal(null);
    const big = await batch(of, 3);
    const dead = await admitted(of.enter('batch', STAYS));
    expect(await dead.weigh(3, gone)).to.equal(false);
    dead.leave();
    big.leave();
    await batch(of, 3);
    expect(of.load).to.deep.equal({ inFlight: 4, queued: 0 });
  });

  it('refuses at once when the line is full, and says so before anybody enters', async () => {
    const of = gate(1, 2);
    await admitted(of.enter('single', STAYS));
    expect(of.isFull('single')).to.equal(false);
    void of.enter('single', STAYS);
    void of.enter('single', STAYS);
    expect(of.isFull('single')).to.equal(true);
    expect(await of.enter('single', STAYS)).to.equal(null);
    expect(of.isFull('batch')).to.equal(false);
  });

  it('refuses what has waited too long', async () => {
    const of = gate(1, 2, 20);
    await admitted(of.enter('single', STAYS));
    expect(await of.enter('single', STAYS)).to.equal(null);
    expect(of.load.queued).to.equal(0);
  });

  it('forgets a customer who goes away while waiting', async () => {
    const of = gate(1);
    const first = await admitted(of.enter('single', STAYS));
    const gone = new EventEmitter();
    const second = of.enter('single', gone);
    const third = of.enter('single', STAYS);
    gone.emit('close');
    expect(await second).to.equal(null);
    expect(of.load.queued).to.equal(1);
    first.leave();
    await admitted(third);
    expect(gone.listenerCount('close')).to.equal(0);
  });

  it('keeps a quarter for single requests, however many batches come', async () => {
    const of = gate(8);
    await batch(of, 4);
    const second = await admitted(of.enter('batch', STAYS));
    const weighed = second.weigh(3, STAYS);
    const third = of.enter('batch', STAYS);
    for (let single = 0; single < 2; single += 1) await admitted(of.enter('single', STAYS));
    expect(await isSettled(weighed)).to.equal(false);
    expect(await isSettled(third)).to.equal(false);
  });

  it('lets a batch wait that does not fit beside another, and those behind it', async () => {
    const of = gate(8);
    const first = await batch(of, 4);
    const second = await admitted(of.enter('batch', STAYS));
    const weighed = second.weigh(3, STAYS);
    const third = of.enter('batch', STAYS);
    expect(of.load).to.deep.equal({ inFlight: 4, queued: 2 });
    first.leave();
    expect(await weighed).to.equal(true);
    expect(await (await admitted(third)).weigh(3, STAYS)).to.equal(true);
    expect(of.load).to.deep.equal({ inFlight: 6, queued: 0 });
  });

  it('lets in a batch that is bigger than all room when no other is there, and leaves single requests their quarter', async () => {
    const of = gate(8);
    const small = await batch(of, 1);
    const big = await admitted(of.enter('batch', STAYS));
    const weighed = big.weigh(1000, STAYS);
    expect(await isSettled(weighed)).to.equal(false);
    small.leave();
    expect(await weighed).to.equal(true);
    await admitted(of.enter('single', STAYS));
    await admitted(of.enter('single', STAYS));
    expect(await isSettled(of.enter('single', STAYS))).to.equal(false);
  });

  it('lets no single requests keep a batch out', async () => {
    const of = gate(8);
    for (let single = 0; single < 2; single += 1) await admitted(of.enter('single', STAYS));
    void of.enter('single', STAYS);
    await batch(of, 6);
    expect(of.load).to.deep.equal({ inFlight: 8, queued: 1 });
  });

  it('frees the door when the batch at it was malformed, found no room in time, or its customer went away', async () => {
    const of = gate(4, 100, 20);
    (await admitted(of.enter('batch', STAYS))).leave();
    const first = await batch(of, 3);
    const late = await admitted(of.enter('batch', STAYS));
    expect(await late.weigh(3, STAYS)).to.equal(false);
    late.leave();
    const gone = new EventEmitter();
    const left = await admitted(of.enter('batch', STAYS));
    const weighed = left.weigh(3, gone);
    gone.emit('close');
    expect(await weighed).to.equal(false);
    left.leave();
    first.leave();
    (await batch(of, 3)).leave();
    expect(of.load).to.deep.equal({ inFlight: 0, queued: 0 });
  });

  it('has only batches of a sixteenth of its line wait, one at least', async () => {
    for (const [maxQueue, most] of [
      [160, 10],
      [1, 1],
    ] as const) {
      const of = gate(8, maxQueue);
      await admitted(of.enter('batch', STAYS));
      for (let waiting = 0; waiting < most; waiting += 1) {
        expect(of.isFull('batch')).to.equal(false);
        void of.enter('batch', STAYS);
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
        const of = gate(max, 1000);
        const inside: Admission[] = [];
        const works: Promise<void>[] = [];
        for (const { kind, items, leaves } of steps) {
          works.push(
            of.enter(kind, STAYS).then(async (admission) => {
              if (admission === null) return;
              if (kind === 'batch') await admission.weigh(items, STAYS);
              inside.push(admission);
            }),
          );
          for (let count = 0; count < leaves; count += 1) inside.shift()?.leave();
          await new Promise((resolve) => setImmediate(resolve));
          // A batch may be bigger than all room, and is alone but for the quarter of single requests then.
          expect(of.load.inFlight).to.be.at.most(Math.max(max, 12 + Math.ceil(max / 4)));
        }
        const all = Promise.all(works);
        while (!(await isSettled(all))) inside.shift()?.leave();
        for (const admission of inside) admission.leave();
        expect(of.load).to.deep.equal({ inFlight: 0, queued: 0 });
      }),
      { numRuns: 60 },
    );
  });
});
