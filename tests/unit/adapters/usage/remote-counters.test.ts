import { expect } from 'chai';
import { RemoteCounters } from '../../../../src/adapters/usage/remote-counters.ts';

// tests/unit/adapters/usage/redis-usage-sync.test.ts covers the rest, with Redis.
describe('RemoteCounters', () => {
  const summary = (totalSigns: number, writeId = 'a', errorCount = 0) => ({
    totals: { totalSigns, errorCount },
    writeId,
  });

  it('resets a replica with fewer errors, and has room for others again', () => {
    const usage = { totalSigns: 7, lastSignAt: null, errorCount: 0 };
    const remote = new RemoteCounters(1);
    remote.takeSummary('one', summary(7, 'a', 2), 1);
    remote.takeUsage('one', 'alpha/main', usage);
    remote.takeSummary('one', summary(8, 'a', 1), 2);
    expect(remote.addTo(usage, 'alpha', 'main')).to.deep.equal(usage);
    expect(remote.takeUsage('one', 'alpha/other', usage)).to.equal(true);
  });

  it('keeps a replica stale that wrote while its accounts were read', () => {
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
