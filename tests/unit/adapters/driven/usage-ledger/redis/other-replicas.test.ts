import { expect } from 'chai';
import {
  MAX_REPLICAS,
  OtherReplicas,
} from '../../../../../../src/adapters/driven/usage-ledger/redis/other-replicas.ts';
import { NO_USAGE } from '../../../../../../src/adapters/driven/usage-ledger/redis/usage-arithmetic.ts';

const EARLY = '2026-11-20T08:49:00.000Z';
const LATE = '2026-11-20T09:00:00.000Z';
const used = (totalSigns: number, lastSignAt: string | null = EARLY, errorCount = 0) => ({
  totalSigns,
  lastSignAt,
  errorCount,
});
const entry = (revision: number, totalSigns = 0, writer = 'a1') => ({
  writer,
  revision,
  totals: { totalSigns, errorCount: 0 },
});

describe('OtherReplicas', () => {
  it('adds up what several counted of an account', () => {
    const others = new OtherReplicas();
    others.take('one', 'alpha/main', used(2, LATE, 1));
    others.take('two', 'alpha/main', used(3, EARLY));
    expect(others.addTo(used(10, null), 'alpha', 'main')).to.deep.equal(used(15, LATE, 1));
    expect(others.addTo(NO_USAGE, 'alpha', 'spare')).to.deep.equal(NO_USAGE);
  });

  it('lets no counter of a replica go down', () => {
    const others = new OtherReplicas();
    others.take('one', 'alpha/main', used(5, LATE, 2));
    others.take('one', 'alpha/main', used(4, EARLY, 3));
    others.finish('one', entry(1, 5));
    others.finish('one', entry(2, 4));
    expect(others.addTo(NO_USAGE, 'alpha', 'main')).to.deep.equal(used(5, LATE, 3));
    expect(others.totals().totalSigns).to.equal(5);
  });

  it('reads what is behind the revision that it knows, and everything of who is new or begins anew', () => {
    const others = new OtherReplicas();
    expect(others.readFrom('one', entry(7))).to.equal(-1);
    others.finish('one', entry(7));
    expect(others.readFrom('one', entry(7))).to.equal(null);
    expect(others.readFrom('one', entry(9))).to.equal(7);
    expect(others.readFrom('one', entry(3)), 'Redis lost some').to.equal(-1);
    expect(others.readFrom('one', entry(7, 0, 'a2')), 'another process').to.equal(-1);
  });

  it('keeps no more accounts and no more replicas than it may', () => {
    const others = new OtherReplicas(2);
    const taken = ['a', 'b', 'c', 'a'].map((account) => others.take('one', `alpha/${account}`, used(1)));
    expect(taken).to.deep.equal([true, true, false, true]);
    others.take('one', 'alpha/a', used(8));
    expect(['a', 'b', 'c'].map((account) => others.addTo(NO_USAGE, 'alpha', account).totalSigns)).to.deep.equal([
      8, 1, 0,
    ]);
    for (let i = 1; i < MAX_REPLICAS; i += 1) {
      expect(others.hasRoomFor(`r${i}`)).to.equal(true);
      others.finish(`r${i}`, entry(1));
    }
    expect(others.size).to.equal(MAX_REPLICAS);
    expect([others.hasRoomFor('one-more'), others.hasRoomFor('r1')]).to.deep.equal([false, true]);
  });
});
