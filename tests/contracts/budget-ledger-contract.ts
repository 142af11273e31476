import { expect } from 'chai';
import fc from 'fast-check';
import type { BudgetDemand } from '../../src/domain/model/attempt.ts';
import { BUCKETS_PER_WINDOW, type BudgetLedger } from '../../src/ports/budget-ledger.ts';

export interface BudgetLedgerHarness {
  /** A fresh ledger in which nothing is charged. */
  readonly make: () => Promise<BudgetLedger>;
  /** Advances the ledger's time, which is frozen otherwise. */
  readonly wait: (milliseconds: number) => void;
}

const WINDOW_MS = 60_000;
const BUCKET_MS = WINDOW_MS / BUCKETS_PER_WINDOW;
const MAX_UNITS = 5_000_000_000_000;

/** Of 5000 × 10^9 units. */
function demand(units: number, more: Partial<BudgetDemand> = {}): BudgetDemand {
  return { key: 'daily:alpha/main', units, maxUnits: MAX_UNITS, exponent: -8, windowSeconds: 60, ...more };
}

/** Contract of every BudgetLedger. */
export function describeBudgetLedgerContract(name: string, { make, wait }: BudgetLedgerHarness): void {
  describe(`BudgetLedger contract: ${name}`, () => {
    let ledger: BudgetLedger;

    beforeEach(async () => {
      ledger = await make();
    });

    const charge = async (...demands: readonly BudgetDemand[]) => (await ledger.charge(demands)).outcome;

    it('charges up to the last unit, and then nothing', async () => {
      expect(await charge(demand(MAX_UNITS - 1))).to.equal('charged');
      expect(await charge(demand(2))).to.equal('exceeded');
      expect(await charge(demand(1))).to.equal('charged');
      expect(await charge(demand(1))).to.equal('exceeded');
    });

    it('charges all demands or none, and names those that are exceeded', async () => {
      const small = { key: 'count:alpha/main', maxUnits: 10 };
      expect(await charge(demand(MAX_UNITS), demand(10, small))).to.equal('charged');
      wait(2 * WINDOW_MS);
      expect(await charge(demand(1), demand(10, small))).to.equal('charged');
      const reply = await ledger.charge([demand(1), demand(1, small), demand(11, { ...small, key: 'x:alpha/main' })]);
      expect(reply).to.deep.equal({ outcome: 'exceeded', exceeded: [1, 2] });
      expect(await charge(demand(MAX_UNITS - 1))).to.equal('charged');
    });

    it('counts each key for itself', async () => {
      const keys = ['daily:alpha/main', 'daily:alpha/Main', 'daily:alpha/other', 'daily:beta/main', '__proto__'];
      for (const key of keys) expect(await charge(demand(MAX_UNITS, { key })), key).to.equal('charged');
      for (const key of keys) expect(await charge(demand(1, { key })), key).to.equal('exceeded');
    });

    it('counts a charge for the window, and at most a sixtieth of it longer', async () => {
      await charge(demand(MAX_UNITS));
      wait(WINDOW_MS - 1);
      expect(await charge(demand(1))).to.equal('exceeded');
      wait(1 + BUCKET_MS);
      expect(await charge(demand(MAX_UNITS))).to.equal('charged');
    });

    it('never charges more than the maximum in any window', async () => {
      const steps = fc.array(fc.tuple(fc.nat(2 * BUCKET_MS * 10), fc.integer({ min: 1, max: 6 })), { maxLength: 25 });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (calls) => {
          runs += 1;
          const key = `run-${runs}:alpha/main`;
          let now = 0;
          const charged: { readonly at: number; readonly units: number }[] = [];
          for (const [pauseMs, units] of calls) {
            wait(pauseMs);
            now += pauseMs;
            const sum = (withinMs: number) =>
              charged.filter(({ at }) => at > now - withinMs).reduce((total, one) => total + one.units, 0);
            const isCharged = (await charge(demand(units, { key, maxUnits: 10 }))) === 'charged';
            if (isCharged) expect(sum(WINDOW_MS) + units).to.be.at.most(10);
            else expect(sum(WINDOW_MS + BUCKET_MS) + units).to.be.above(10);
            if (isCharged) charged.push({ at: now, units });
          }
        }),
        { numRuns: 30 },
      );
    });

    it('gives a charge back', async () => {
      const given = await ledger.charge([demand(MAX_UNITS), demand(3, { key: 'other:alpha/main', maxUnits: 3 })]);
      if (given.outcome !== 'charged') throw new Error(given.outcome);
      await given.refund();
      expect(await charge(demand(MAX_UNITS), demand(3, { key: 'other:alpha/main', maxUnits: 3 }))).to.equal('charged');
    });

    it('refunds no other charge, and nothing that is no longer counted', async () => {
      const early = await ledger.charge([demand(MAX_UNITS)]);
      wait(WINDOW_MS + BUCKET_MS);
      expect(await charge(demand(MAX_UNITS))).to.equal('charged');
      if (early.outcome !== 'charged') throw new Error(early.outcome);
      await early.refund();
      expect(await charge(demand(1))).to.equal('exceeded');
    });

    it('keeps what was charged when the maximum changes, and with it the unit', async () => {
      await charge(demand(4_000_000_000_000));
      const larger = { maxUnits: 1_000_000_000_000, exponent: -7 };
      expect(await charge(demand(600_000_000_001, larger))).to.equal('exceeded');
      expect(await charge(demand(600_000_000_000, larger))).to.equal('charged');
      expect(await charge(demand(1))).to.equal('exceeded');
      expect(await charge(demand(1, { maxUnits: 9_000_000_000_000, exponent: -9 }))).to.equal('exceeded');
    });

    it('keeps what was charged within a window that changes', async () => {
      await charge(demand(MAX_UNITS));
      wait(10_000);
      expect(await charge(demand(1, { windowSeconds: 3600 }))).to.equal('exceeded');
      expect(await charge(demand(1, { windowSeconds: 5 }))).to.equal('charged');
    });

    it('says what a charge would come to, and charges nothing', async () => {
      for (let nth = 0; nth < 3; nth += 1) {
        expect(await ledger.check([demand(MAX_UNITS)])).to.deep.equal({ outcome: 'within' });
      }
      await charge(demand(MAX_UNITS));
      expect(await ledger.check([demand(1, { key: 'other:alpha/main' }), demand(1)])).to.deep.equal({
        outcome: 'exceeded',
        exceeded: [1],
      });
    });

    it('charges no more than the maximum for many at once', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => charge(demand(1, { maxUnits: 5 }))));
      expect(outcomes.filter((outcome) => outcome === 'charged')).to.have.length(5);
      expect(outcomes.slice(0, 5)).to.deep.equal(Array(5).fill('charged'));
    });
  });
}
