import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Arrivals } from '../../../../../src/adapters/driven/audit-sink/arrivals.ts';
import type { PendingRecord } from '../../../../../src/adapters/driven/audit-sink/record-queue.ts';

describe('Arrivals', () => {
  let groups: (readonly PendingRecord[])[];
  let arrivals: Arrivals;

  beforeEach(() => {
    groups = [];
    arrivals = new Arrivals((records) => groups.push(records));
  });

  function record(): PendingRecord {
    return {} as PendingRecord;
  }

  it('hands over at the end of the turn what came in it, in order, also when it came in several ticks', async () => {
    const records = [record(), record(), record()] as const;
    arrivals.add(records[0]);
    await Promise.resolve();
    arrivals.add(records[1]);
    await new Promise(process.nextTick);
    arrivals.add(records[2]);
    expect(arrivals.size).to.equal(3);
    expect(groups).to.deep.equal([]);
    await nextTurn();
    expect(arrivals.size).to.equal(0);
    expect(groups).to.have.length(1);
    for (const [index, each] of records.entries()) expect(groups[0]?.[index]).to.equal(each);
  });

  it('hands over at once when it is told to, each record once', async () => {
    arrivals.add(record());
    arrivals.handOver();
    expect(groups).to.have.length(1);
    await nextTurn();
    arrivals.handOver();
    expect(groups).to.have.length(1);
  });

  it('hands over in the turn what came after it was told to', async () => {
    arrivals.add(record());
    arrivals.handOver();
    arrivals.add(record());
    await nextTurn();
    expect(groups.map(({ length }) => length)).to.deep.equal([1, 1]);
  });

  it('keeps what comes while it hands over for the next time', async () => {
    arrivals = new Arrivals((records) => {
      groups.push(records);
      if (groups.length === 1) arrivals.add(record());
    });
    arrivals.add(record());
    arrivals.handOver();
    expect([groups.length, arrivals.size]).to.deep.equal([1, 1]);
    await nextTurn();
    expect([groups.length, arrivals.size]).to.deep.equal([2, 0]);
  });
});
