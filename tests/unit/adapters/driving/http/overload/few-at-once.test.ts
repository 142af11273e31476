import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { FewAtOnce } from '../../../../../../src/adapters/driving/http/overload/few-at-once.ts';

const LIMITS = { maxAtOnce: 2, maxWaiting: 2, maxWaitMs: 60_000 };

/** A caller who can go away. */
class Caller extends EventEmitter {
  destroyed = false;

  goAway(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

async function entered(few: FewAtOnce, caller = new Caller()): Promise<() => void> {
  return (await few.enter(caller)) ?? expect.fail('There is no place.');
}

describe('FewAtOnce', () => {
  it('gives the next place to who came first, and a place that nobody waits for to who comes next', async () => {
    const few = new FewAtOnce(LIMITS);
    const [first, second] = [await entered(few), await entered(few)];
    const order: string[] = [];
    const waiting = ['a', 'b'].map(async (name) => {
      const leave = await entered(few);
      order.push(name);
      return leave;
    });
    await new Promise(setImmediate);
    expect(order).to.deep.equal([]);
    first();
    await new Promise(setImmediate);
    expect(order).to.deep.equal(['a']);
    second();
    for (const leave of await Promise.all(waiting)) leave();
    expect(order).to.deep.equal(['a', 'b']);
    await entered(few);
  });

  it('takes no more to wait than its line holds', async () => {
    const few = new FewAtOnce(LIMITS);
    for (let place = 0; place < LIMITS.maxAtOnce; place += 1) await entered(few);
    for (let place = 0; place < LIMITS.maxWaiting; place += 1) few.enter(new Caller());
    expect(await few.enter(new Caller())).to.equal(null);
  });

  it('lets nobody wait for longer than the set time', async () => {
    const few = new FewAtOnce({ maxAtOnce: 1, maxWaiting: 1, maxWaitMs: 5 });
    const leave = await entered(few);
    expect(await few.enter(new Caller())).to.equal(null);
    leave();
    await entered(few);
  });

  it('keeps no place for who went away, before or while waiting', async () => {
    const few = new FewAtOnce({ ...LIMITS, maxAtOnce: 1 });
    const gone = new Caller();
    gone.goAway();
    expect(await few.enter(gone)).to.equal(null);
    const leave = await entered(few);
    const [going, staying] = [new Caller(), new Caller()];
    const places = [few.enter(going), few.enter(staying)];
    going.goAway();
    leave();
    const [none, one] = await Promise.all(places);
    expect(none).to.equal(null);
    expect(one).to.be.a('function');
    expect([going.listenerCount('close'), staying.listenerCount('close')]).to.deep.equal([0, 0]);
  });

  it('takes a place back once, however often it is given back', async () => {
    const few = new FewAtOnce({ maxAtOnce: 1, maxWaiting: 0, maxWaitMs: 1 });
    const leave = await entered(few);
    leave();
    leave();
    await entered(few);
    expect(await few.enter(new Caller())).to.equal(null);
  });
});
