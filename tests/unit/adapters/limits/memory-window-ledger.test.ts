import { expect } from 'chai';
import { RATES } from '../../../../src/adapters/limits/ledger-kind.ts';
import { MemoryWindowLedger } from '../../../../src/adapters/limits/memory-window-ledger.ts';
import { demandOf, describeWindowLedgerContract, grantedBy } from '../../../contracts/window-ledger-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

let now = 3_600_000;

describeWindowLedgerContract('MemoryWindowLedger', {
  counting: RATES,
  make: async () => new MemoryWindowLedger({ monotonic: () => now }),
  wait: (milliseconds) => {
    now += milliseconds;
  },
});

describe('MemoryWindowLedger', () => {
  const grantedOf = (ledger: MemoryWindowLedger, key: string, units = 1) =>
    grantedBy(ledger, demandOf(units, { key, minUnits: 1, maxUnits: 2 }));

  it('forgets the keys that were charged least recently, and keeps the others', async () => {
    const ledger = new MemoryWindowLedger(new FixedClock(), 10_000);
    const invent = async (from: number, to: number) => {
      for (let nth = from; nth < to; nth += 1) await grantedOf(ledger, `invented-${nth}`);
    };
    await grantedOf(ledger, 'old', 2);
    await grantedOf(ledger, 'regular');
    await invent(0, 1500);
    expect(await grantedOf(ledger, 'regular')).to.deep.equal([1]);
    expect(await grantedOf(ledger, 'old')).to.deep.equal([0]);
    await invent(1500, 2100);
    expect(await grantedOf(ledger, 'regular')).to.deep.equal([0]);
    expect(await grantedOf(ledger, 'old')).to.deep.equal([1]);
  });

  it('forgets nothing for refused demands', async () => {
    const ledger = new MemoryWindowLedger(new FixedClock(), 10_000);
    await grantedOf(ledger, 'regular', 2);
    for (let nth = 0; nth < 5000; nth += 1) {
      await grantedBy(ledger, demandOf(3, { key: `refused-${nth}`, maxUnits: 2 }));
      await grantedOf(ledger, 'regular');
    }
    expect(await grantedOf(ledger, 'regular')).to.deep.equal([0]);
  });

  it('ignores the wall clock', async () => {
    const clock = new FixedClock();
    const ledger = new MemoryWindowLedger(clock);
    await grantedOf(ledger, 'main', 2);
    clock.set('2030-01-01T00:00:00.000Z');
    expect(await grantedOf(ledger, 'main')).to.deep.equal([0]);
  });
});
