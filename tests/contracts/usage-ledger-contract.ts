import { expect } from 'chai';
import type { UsageLedger } from '../../src/ports/usage-ledger.ts';

const EARLY = '2026-11-20T08:49:00.000Z';
const LATE = '2026-11-20T08:49:00.001Z';

/** What every UsageLedger has to do. `make` returns a fresh one. */
export function describeUsageLedgerContract(name: string, make: () => UsageLedger): void {
  describe(`UsageLedger contract: ${name}`, () => {
    let ledger: UsageLedger;

    beforeEach(() => {
      ledger = make();
    });

    it('knows nothing of an account that was not used', () => {
      expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 0 });
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0, signingTimeMs: 0 });
    });

    it('counts signatures and errors of each account', () => {
      ledger.recordSignature('alpha', 'main', EARLY, 1.5);
      ledger.recordSignature('alpha', 'main', LATE, 2.25);
      ledger.recordError('alpha', 'main');
      ledger.recordError('alpha', 'spare');
      expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 2, lastSignAt: LATE, errorCount: 1 });
      expect(ledger.usage('alpha', 'spare')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 1 });
      expect(ledger.totals()).to.deep.equal({ totalSigns: 2, errorCount: 2, signingTimeMs: 3.75 });
    });

    it('keeps accounts of the same name on two platforms apart', () => {
      ledger.recordSignature('alpha', 'main', EARLY, 1);
      ledger.recordError('beta', 'main');
      expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 0 });
      expect(ledger.usage('beta', 'main')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 1 });
    });

    it('keeps ids apart that read alike when joined', () => {
      ledger.recordError('a:b', 'c');
      ledger.recordError('__proto__', 'constructor');
      expect(ledger.usage('a', 'b:c').errorCount).to.equal(0);
      expect(ledger.usage('a:b', 'c').errorCount).to.equal(1);
      expect(ledger.usage('__proto__', 'constructor').errorCount).to.equal(1);
      expect(ledger.usage('toString', 'length')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 0 });
    });

    it('counts an error of an unknown account in the totals only', () => {
      ledger.recordError(null, null);
      ledger.recordError('alpha', null);
      expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 2, signingTimeMs: 0 });
      expect(ledger.usage('alpha', 'main').errorCount).to.equal(0);
    });

    it('shows the latest signature when they are reported out of order', () => {
      ledger.recordSignature('alpha', 'main', LATE, 1);
      ledger.recordSignature('alpha', 'main', EARLY, 1);
      expect(ledger.usage('alpha', 'main').lastSignAt).to.equal(LATE);
    });

    it('returns readings that later records do not change', () => {
      ledger.recordSignature('alpha', 'main', EARLY, 1);
      const [usage, totals] = [ledger.usage('alpha', 'main'), ledger.totals()];
      ledger.recordSignature('alpha', 'main', LATE, 1);
      ledger.recordError('alpha', 'main');
      expect(usage).to.deep.equal({ totalSigns: 1, lastSignAt: EARLY, errorCount: 0 });
      expect(totals).to.deep.equal({ totalSigns: 1, errorCount: 0, signingTimeMs: 1 });
    });
  });
}
