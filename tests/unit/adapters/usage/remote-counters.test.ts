import { expect } from 'chai';
import { MAX_REPLICAS, RemoteCounters } from '../../../../src/adapters/usage/remote-counters.ts';

const EARLY = '2026-11-20T08:49:00.000Z';
const NO_USAGE = { totalSigns: 0, lastSignAt: null, errorCount: 0 };
const NO_TOTALS = { totalSigns: 0, errorCount: 0 };
const used = (totalSigns: number, lastSignAt: string | null = EARLY, errorCount = 0) => ({
  totalSigns,
  lastSignAt,
  errorCount,
});
const totals = (totalSigns: number, errorCount = 0) => ({ totalSigns, errorCount });
const summary = (totalSigns: number, errorCount = 0, writeId = 'a') => ({
  totals: totals(totalSigns, errorCount),
  writeId,
});

describe('RemoteCounters', () => {
  it('marks a replica as stale after a write', () => {
    const remote = new RemoteCounters();
    expect(remote.isStale('one'), 'unknown').to.equal(false);
    remote.takeSummary('one', summary(7), 1);
    expect(remote.isStale('one')).to.equal(true);
    for (const other of [summary(8), summary(7, 0, 'b'), null]) {
      remote.finishReading('one', other);
      expect(remote.isStale('one'), 'changed while it was read').to.equal(true);
    }
    remote.finishReading('one', summary(7));
    expect(remote.isStale('one')).to.equal(false);
    remote.takeSummary('one', summary(7, 1), 2);
    expect(remote.isStale('one'), 'changed').to.equal(true);
    remote.finishReading('one', summary(7, 1));
    remote.takeSummary('one', summary(7, 1, 'b'), 2);
    expect(remote.isStale('one'), 'written anew').to.equal(true);
  });

  it('resets a replica with lower totals', () => {
    const remote = new RemoteCounters(2);
    remote.takeSummary('one', summary(7, 2), 1);
    remote.takeUsage('one', 'alpha/main', used(7));
    remote.takeUsage('one', 'alpha/spare', NO_USAGE);
    remote.finishReading('one', summary(7, 2));
    remote.takeSummary('one', summary(8, 1), 2);
    expect(remote.isStale('one')).to.equal(true);
    expect(remote.addTo(NO_USAGE, 'alpha', 'main')).to.deep.equal(NO_USAGE);
    expect(remote.addToTotals(NO_TOTALS)).to.deep.equal(totals(8, 1));
    expect(remote.takeUsage('one', 'alpha/other', used(8)), 'there is room again').to.equal(true);
  });

  it('removes silent replicas and their counters', () => {
    const remote = new RemoteCounters(1);
    remote.takeSummary('one', summary(1), 1000);
    remote.takeSummary('two', summary(2), 2000);
    remote.takeUsage('one', 'alpha/main', used(1));
    remote.removeBefore(1000);
    expect(remote.size).to.equal(2);
    remote.removeBefore(1001);
    expect([remote.size, remote.addToTotals(NO_TOTALS).totalSigns]).to.deep.equal([1, 2]);
    expect(remote.addTo(NO_USAGE, 'alpha', 'main')).to.deep.equal(NO_USAGE);
    expect(remote.takeUsage('two', 'alpha/main', used(2)), 'there is room again').to.equal(true);
  });

  it('bounds accounts and replicas', () => {
    const remote = new RemoteCounters(2);
    remote.takeSummary('one', summary(3), 1);
    const taken = ['a', 'b', 'c', 'a'].map((account) => remote.takeUsage('one', `alpha/${account}`, used(1)));
    expect(taken).to.deep.equal([true, true, false, true]);
    remote.takeUsage('one', 'alpha/a', used(8));
    expect(['a', 'b', 'c'].map((account) => remote.addTo(NO_USAGE, 'alpha', account).totalSigns)).to.deep.equal([
      8, 1, 0,
    ]);
    for (let i = 1; i < MAX_REPLICAS; i += 1) expect(remote.takeSummary(`r${i}`, summary(1), 1)).to.equal(true);
    expect(remote.size).to.equal(MAX_REPLICAS);
    expect(remote.takeSummary('one-more', summary(1), 1)).to.equal(false);
    expect(remote.takeSummary('r1', summary(2), 1)).to.equal(true);
  });
});
