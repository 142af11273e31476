import { expect } from 'chai';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { describeUsageLedgerContract } from '../../../contracts/usage-ledger-contract.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';

const TIME = '2026-11-20T08:49:00.123Z';

/** A signature of each of two accounts, an error of a third, and one of an unknown account. */
function usedLedger(): MemoryUsageLedger {
  const ledger = new MemoryUsageLedger();
  ledger.count(sampleAuditEntry());
  ledger.count(sampleAuditEntry({ platformId: 'beta' }));
  ledger.count(sampleAuditEntry({ accountId: 'spare', outcome: 'failed' }));
  ledger.count(sampleAuditEntry({ accountId: 'nobody', outcome: 'refused', algorithm: null }));
  return ledger;
}

const USED_STATE = {
  totals: { totalSigns: 2, errorCount: 2 },
  platforms: [
    {
      platformId: 'alpha',
      accountIds: ['main', 'spare'],
      usages: [
        { totalSigns: 1, lastSignAt: TIME, errorCount: 0 },
        { totalSigns: 0, lastSignAt: null, errorCount: 1 },
      ],
    },
    {
      platformId: 'beta',
      accountIds: ['main'],
      usages: [{ totalSigns: 1, lastSignAt: TIME, errorCount: 0 }],
    },
  ],
};

describeUsageLedgerContract('MemoryUsageLedger', () => new MemoryUsageLedger());

describeUsageLedgerContract('MemoryUsageLedger, restored to nothing', () => {
  const ledger = usedLedger();
  ledger.restore(new MemoryUsageLedger().state());
  return ledger;
});

describe('MemoryUsageLedger', () => {
  it('snapshots every account, by platform, and continues from that, discarding its own counters', () => {
    expect(usedLedger().state()).to.deep.equal(USED_STATE);
    const ledger = new MemoryUsageLedger();
    ledger.count(sampleAuditEntry({ accountId: 'forgotten' }));
    ledger.restore(USED_STATE);
    expect(ledger.state()).to.deep.equal(USED_STATE);
    ledger.count(sampleAuditEntry({ accountId: 'spare', time: '2026-11-20T09:00:00.000Z' }));
    expect(ledger.usage('alpha', 'spare')).to.deep.equal({
      totalSigns: 1,
      lastSignAt: '2026-11-20T09:00:00.000Z',
      errorCount: 1,
    });
    expect(ledger.totals()).to.deep.equal({ totalSigns: 3, errorCount: 2 });
    expect(ledger.usage('alpha', 'forgotten').totalSigns).to.equal(0);
  });

  it('stores nothing for unknown accounts', () => {
    const ledger = new MemoryUsageLedger();
    for (let i = 0; i < 10; i += 1) {
      ledger.count(sampleAuditEntry({ platformId: `p${i}`, accountId: `a${i}`, outcome: 'refused', algorithm: null }));
    }
    expect(ledger.state()).to.deep.equal({ totals: { totalSigns: 0, errorCount: 10 }, platforms: [] });
  });
});
