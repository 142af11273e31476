import { expect } from 'chai';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { describeUsageLedgerContract } from '../../../contracts/usage-ledger-contract.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';

describeUsageLedgerContract('MemoryUsageLedger', () => new MemoryUsageLedger());

describe('MemoryUsageLedger', () => {
  it('stores nothing for unknown accounts', () => {
    const ledger = new MemoryUsageLedger();
    for (let i = 0; i < 10; i += 1) {
      ledger.count(sampleAuditEntry({ platformId: `p${i}`, accountId: `a${i}`, outcome: 'refused', algorithm: null }));
    }
    expect(ledger.state()).to.deep.equal({ totals: { totalSigns: 0, errorCount: 10 }, accounts: [] });
  });
});
