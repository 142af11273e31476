import { expect } from 'chai';
import { MAX_REPLICAS } from '../../../../../../src/adapters/driven/usage-ledger/redis/other-replicas.ts';
import { readReplicas } from '../../../../../../src/adapters/driven/usage-ledger/redis/read-changes.ts';
import type { RedisCommands } from '../../../../../../src/redis/redis-connection.ts';

/** An index with so many replicas, the first of which it gives once more at its end, as HSCAN may. */
function indexOf(count: number): RedisCommands {
  const entry = (index: number) => [`r${index}`, 'a1,1,1,0'];
  const fields = [...Array.from({ length: count }, (_, index) => entry(index)), entry(0)].flat();
  const unasked = () => expect.fail('Nothing else is asked.');
  return { askForList: async () => ['0', fields], send: unasked, ask: unasked };
}

describe('The index of replicas', () => {
  it('is read whole up to the most that are kept, and nothing is told', async () => {
    let more = 0;
    const replicas = await readReplicas(indexOf(MAX_REPLICAS), () => {
      more += 1;
    });
    expect([replicas.size, more]).to.deep.equal([MAX_REPLICAS, 0]);
  });

  it('is read no further than that, which is told', async () => {
    let more = 0;
    const replicas = await readReplicas(indexOf(MAX_REPLICAS + 2), () => {
      more += 1;
    });
    expect([replicas.size, more]).to.deep.equal([MAX_REPLICAS, 2]);
  });
});
