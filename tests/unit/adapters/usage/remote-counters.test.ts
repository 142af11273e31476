import { expect } from 'chai';
import { RemoteCounters } from '../../../../src/adapters/usage/remote-counters.ts';

// tests/unit/adapters/usage/redis-usage-sync.test.ts covers the rest, with Redis.
describe('RemoteCounters', () => {
  it('keeps a replica stale that wrote while its accounts were read', () => {
    const summary = (totalSigns: number, writeId = 'a') => ({ totals: { totalSigns, errorCount: 0 }, writeId });
    const remote = new RemoteCounters();
    remote.takeSummary('one', summary(7), 1);
    for (const other of [summary(8), summary(7, 'b'), null]) {
      remote.finishReading('one', other);
      expect(remote.isStale('one')).to.equal(true);
    }
    remote.finishReading('one', summary(7));
    expect(remote.isStale('one')).to.equal(false);
  });
});
