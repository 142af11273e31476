import { expect } from 'chai';
import { type AuditEntry, RECORD_EVENTS } from '../../src/domain/model/audit-entry.ts';
import type { UsageLedger } from '../../src/ports/usage-ledger.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';

const EARLY = '2026-11-20T08:49:00.000Z';
const LATE = '2026-11-20T08:49:00.001Z';
const UNUSED = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** Contract of every UsageLedger. `make` returns a fresh one. */
export function describeUsageLedgerContract(name: string, make: () => UsageLedger | Promise<UsageLedger>): void {
  describe(`UsageLedger contract: ${name}`, () => {
    let ledger: UsageLedger;

    beforeEach(async () => {
      ledger = await make();
    });

    const count = (...records: readonly Partial<AuditEntry>[]) => {
      for (const record of records) ledger.count(sampleAuditEntry(record));
    };

    it('reports how its counters are shared, and since when it is behind only while it is', () => {
      const { sharing } = ledger;
      expect(sharing.state).to.be.oneOf(['current', 'behind']);
      expect(sharing.behindSince === null).to.equal(sharing.state === 'current');
      expect(sharing.replicas).to.be.at.least(1);
    });

    it('counts a successful sign record as a signature of its account, at its time', () => {
      count({ time: EARLY }, { time: LATE }, { time: EARLY, accountId: 'spare' });
      expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 2, lastSignAt: LATE, errorCount: 0 });
      expect(ledger.usage('alpha', 'spare')).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 0 });
      expect(ledger.totals()).to.deep.equal({ totalSigns: 3, errorCount: 0 });
    });

    for (const outcome of ['refused', 'failed'] as const) {
      it(`counts outcome ${outcome} as an error of the account if the record has an algorithm`, () => {
        count({ outcome }, { time: EARLY }, { outcome, time: LATE }, { outcome, accountId: 'spare' });
        expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 2 });
        expect(ledger.usage('alpha', 'spare')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 1 });
        expect(ledger.totals()).to.deep.equal({ totalSigns: 1, errorCount: 3 });
      });
    }

    it('counts an error only in the totals if the record has no algorithm (unknown account)', () => {
      count({ outcome: 'refused', algorithm: null }, { outcome: 'failed', platformId: 'nowhere', algorithm: null });
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 2 });
      expect(ledger.usage('alpha', 'main')).to.deep.equal(UNUSED);
      expect(ledger.usage('nowhere', 'main')).to.deep.equal(UNUSED);
    });

    it('does not count records without an account', () => {
      count(
        { outcome: 'refused', platformId: null, accountId: null, algorithm: null },
        { outcome: 'refused', accountId: null },
        { outcome: 'failed', platformId: null },
      );
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
    });

    it('does not count other events', () => {
      const others = RECORD_EVENTS.filter((event) => event !== 'sign');
      for (const event of others) {
        for (const outcome of ['success', 'refused', 'failed'] as const) {
          ledger.count({ ...sampleAuditEntry({ outcome }), event });
        }
      }
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
      expect(ledger.usage('alpha', 'main')).to.deep.equal(UNUSED);
    });

    it('separates ids that are equal when joined', () => {
      count(
        { outcome: 'failed', platformId: 'a:b', accountId: 'c' },
        { outcome: 'failed', platformId: '__proto__', accountId: 'constructor' },
      );
      expect(ledger.usage('a', 'b:c').errorCount).to.equal(0);
      expect(ledger.usage('a:b', 'c').errorCount).to.equal(1);
      expect(ledger.usage('__proto__', 'constructor').errorCount).to.equal(1);
      expect(ledger.usage('toString', 'length')).to.deep.equal(UNUSED);
    });

    it('returns the latest signature time, regardless of the order of records', () => {
      count({ time: LATE }, { time: EARLY });
      expect(ledger.usage('alpha', 'main').lastSignAt).to.equal(LATE);
    });

    it('returns counters that later records do not change', () => {
      count({ time: EARLY });
      const [usage, totals] = [ledger.usage('alpha', 'main'), ledger.totals()];
      count({ time: LATE }, { outcome: 'failed' });
      expect(usage).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 0 });
      expect(totals).to.deep.equal({ totalSigns: 1, errorCount: 0 });
    });

    it('sums the accounts of a page, in its order', async () => {
      count({ time: EARLY }, { outcome: 'failed', accountId: 'spare' });
      const page = ['spare', 'unused', 'main'].map((accountId) => ({ platformId: 'alpha', accountId }));
      const totals = { totalSigns: 1, errorCount: 1 };
      expect(await ledger.sum(page)).to.deep.equal({
        totals,
        usages: [{ ...UNUSED, errorCount: 1 }, UNUSED, { totalSigns: 1, lastSignAt: EARLY, errorCount: 0 }],
      });
      expect(await ledger.sum([])).to.deep.equal({ totals, usages: [] });
    });
  });
}
