import { expect } from 'chai';
import { AUDIT_EVENTS, type AuditEntry } from '../../src/domain/model/audit-entry.ts';
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

    it('knows nothing of an account that was not used', () => {
      expect(ledger.usage('alpha', 'main')).to.deep.equal(UNUSED);
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
    });

    it('says whose counters it shows, and since when it is behind only while it is', () => {
      const { sharing } = ledger;
      if (sharing.mode === 'alone') return;
      expect(sharing.state).to.be.oneOf(['current', 'behind']);
      expect(sharing.since === null).to.equal(sharing.state === 'current');
      expect(sharing.replicas).to.be.at.least(1);
    });

    it('counts a record of event sign with outcome success as a signature of its account, at its time', () => {
      count({ time: EARLY }, { time: LATE }, { time: EARLY, accountId: 'spare' });
      expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 2, lastSignAt: LATE, errorCount: 0 });
      expect(ledger.usage('alpha', 'spare')).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 0 });
      expect(ledger.totals()).to.deep.equal({ totalSigns: 3, errorCount: 0 });
    });

    for (const outcome of ['refused', 'failed'] as const) {
      it(`counts outcome ${outcome} as an error of the account whose algorithm the record names`, () => {
        count({ outcome }, { time: EARLY }, { outcome, time: LATE }, { outcome, accountId: 'spare' });
        expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 2 });
        expect(ledger.usage('alpha', 'spare')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 1 });
        expect(ledger.totals()).to.deep.equal({ totalSigns: 1, errorCount: 3 });
      });
    }

    it('counts an error in the totals alone where the record names no algorithm: there is no such account', () => {
      count({ outcome: 'refused', algorithm: null }, { outcome: 'failed', platformId: 'nowhere', algorithm: null });
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 2 });
      expect(ledger.usage('alpha', 'main')).to.deep.equal(UNUSED);
      expect(ledger.usage('nowhere', 'main')).to.deep.equal(UNUSED);
    });

    it('counts records that name no account nowhere', () => {
      count(
        { outcome: 'refused', platformId: null, accountId: null, algorithm: null },
        { outcome: 'refused', accountId: null },
        { outcome: 'failed', platformId: null },
      );
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
    });

    it('counts other events nowhere', () => {
      const others = [...AUDIT_EVENTS.filter((event) => event !== 'sign'), 'checkpoint', 'segment'];
      for (const event of others) {
        for (const outcome of ['success', 'refused', 'failed'] as const) {
          ledger.count({ ...sampleAuditEntry({ outcome }), event });
        }
      }
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
      expect(ledger.usage('alpha', 'main')).to.deep.equal(UNUSED);
    });

    it('keeps accounts of the same name on two platforms apart', () => {
      count({ time: EARLY }, { outcome: 'failed', platformId: 'beta' });
      expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 0 });
      expect(ledger.usage('beta', 'main')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 1 });
    });

    it('keeps ids apart that read alike when joined', () => {
      count(
        { outcome: 'failed', platformId: 'a:b', accountId: 'c' },
        { outcome: 'failed', platformId: '__proto__', accountId: 'constructor' },
      );
      expect(ledger.usage('a', 'b:c').errorCount).to.equal(0);
      expect(ledger.usage('a:b', 'c').errorCount).to.equal(1);
      expect(ledger.usage('__proto__', 'constructor').errorCount).to.equal(1);
      expect(ledger.usage('toString', 'length')).to.deep.equal(UNUSED);
    });

    it('shows the latest signature, also after the clock was set back, or when one chain is counted after another', () => {
      count({ time: LATE }, { time: EARLY });
      expect(ledger.usage('alpha', 'main').lastSignAt).to.equal(LATE);
    });

    it('returns readings that later records do not change', () => {
      count({ time: EARLY });
      const [usage, totals] = [ledger.usage('alpha', 'main'), ledger.totals()];
      count({ time: LATE }, { outcome: 'failed' });
      expect(usage).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 0 });
      expect(totals).to.deep.equal({ totalSigns: 1, errorCount: 0 });
    });
  });
}
