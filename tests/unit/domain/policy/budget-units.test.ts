import { expect } from 'chai';
import fc from 'fast-check';
import { isBudgetMax, toBudgetUnits, toUnits } from '../../../../src/domain/policy/budget-units.ts';

describe('Units of a budget', () => {
  it('are the last of 13 digits of its max', () => {
    expect(toBudgetUnits('50000')).to.deep.equal({ maxUnits: 5_000_000_000_000, exponent: -8 });
    expect(toBudgetUnits(0.25)).to.deep.equal({ maxUnits: 2_500_000_000_000, exponent: -13 });
    expect(toBudgetUnits('1e21')).to.deep.equal({ maxUnits: 1_000_000_000_000, exponent: 9 });
    expect(toBudgetUnits('1234567890123')).to.deep.equal({ maxUnits: 1_234_567_890_123, exponent: 0 });
  });

  it('round amounts up', () => {
    const { exponent } = toBudgetUnits('50000');
    for (const [amount, units] of [
      ['0', 0],
      ['-0', 0],
      ['0.00', 0],
      ['1', 100_000_000],
      ['0.00000001', 1],
      ['0.000000011', 2],
      ['1e-300', 1],
      ['50000', 5_000_000_000_000],
      ['50000.000000001', 5_000_000_000_001],
      ['5e4', 5_000_000_000_000],
    ] as const) {
      expect(toUnits(amount, exponent), amount).to.equal(units);
    }
  });

  it('have one value for what is beyond every max', () => {
    for (const amount of ['1e9999', '9'.repeat(400), `1${'0'.repeat(40)}.5`]) {
      expect(toUnits(amount, 0)).to.equal(1e15);
    }
  });

  it('are null for a negative amount', () => {
    expect(toUnits('-0.1', 0)).to.equal(null);
    expect(toUnits('-1', -5)).to.equal(null);
  });

  it('are exact: an amount fits if and only if it is no more than the max', () => {
    const digits = fc.integer({ min: 1, max: 9_999_999_999_999 });
    const power = fc.integer({ min: -20, max: 20 });
    fc.assert(
      fc.property(digits, power, fc.bigInt({ min: 0n, max: 10n ** 20n }), (max, exponent, amount) => {
        const budget = toBudgetUnits(`${max}e${exponent}`);
        const units = toUnits(`${amount}e${exponent - 6}`, budget.exponent);
        expect((units ?? Number.NaN) <= budget.maxUnits).to.equal(amount <= BigInt(max) * 10n ** 6n);
      }),
    );
  });

  it('take a max of at most 13 digits, of at least 1e-30 and below 1e31', () => {
    for (const max of ['0.5', 1e21, '1234567890123', '12345678901230000', '0001.50', '1e-30', '9e30']) {
      expect(isBudgetMax(max), String(max)).to.equal(true);
    }
    for (const max of ['0', '-1', '', 'x', '1,5', ' 1', '12345678901234', '0.0', 0, Number.NaN, '9e-31', '1e31']) {
      expect(isBudgetMax(max), String(max)).to.equal(false);
    }
  });
});
