import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { MicroBatcher } from '../../../../src/domain/flow/micro-batcher.ts';
import { CallerLeftError } from '../../../../src/domain/model/errors.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { rejectionOf } from '../services/outcome-expectations.ts';

describe('MicroBatcher', () => {
  function batcherOf(max: number, response: (task: number) => string = String) {
    const runs: (readonly number[])[] = [];
    const batcher = new MicroBatcher<number, string>(new FixedClock(), (tasks) => {
      runs.push(tasks);
      return tasks.slice(0, max).map(response);
    });
    return { batcher, runs };
  }

  it('runs leftover tasks in the next tick, before later ones', async () => {
    const { batcher, runs } = batcherOf(2);
    const first = Promise.all([1, 2, 3].map((task) => batcher.submit(task)));
    await eventLoopTurn();
    const later = batcher.submit(4);
    expect([...(await first), await later]).to.deep.equal(['1', '2', '3', '4']);
    expect(runs).to.deep.equal([
      [1, 2, 3],
      [3, 4],
    ]);
  });

  it('does not run a task whose caller has left before its turn', async () => {
    const { batcher, runs } = batcherOf(1);
    let hasLeft = false;
    const first = batcher.submit(1);
    const second = rejectionOf(batcher.submit(2, () => hasLeft));
    const third = batcher.submit(3, () => false);
    await first;
    hasLeft = true;
    expect(await second).to.be.instanceOf(CallerLeftError);
    expect(await third).to.equal('3');
    expect(runs.slice(1)).to.deep.equal([[3]]);
  });

  it('rejects all tasks of a batch that throws, and none of a later batch', async () => {
    let isBroken = true;
    const { batcher } = batcherOf(10, (task) => {
      if (isBroken) throw new Error('broken');
      return String(task);
    });
    const errors = await Promise.all([1, 2].map((task) => rejectionOf(batcher.submit(task))));
    expect(errors.map(String)).to.deep.equal(['Error: broken', 'Error: broken']);
    isBroken = false;
    expect(await batcher.submit(3)).to.equal('3');
  });
});
