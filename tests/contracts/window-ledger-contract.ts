import { expect } from 'chai';
import fc from 'fast-check';
import type { Counting } from '../../src/adapters/limits/window.ts';
import type { Demand } from '../../src/domain/model/attempt.ts';
import { MAX_DEMANDS, type WindowLedger } from '../../src/ports/window-ledger.ts';

export interface WindowLedgerHarness {
  readonly counting: Counting;
  /** A fresh ledger in which nothing is charged. */
  readonly make: () => Promise<WindowLedger>;
  /** Advances the ledger's time, which is frozen otherwise. */
  readonly wait: (milliseconds: number) => void;
}

const WINDOW_MS = 60_000;
const MAX_UNITS = 5_000_000_000_000;

/** A demand of 5000 × 10^9 units at most. */
export function demandOf(units: number, more: Partial<Demand> = {}): Demand {
  const limit = { maxUnits: MAX_UNITS, exponent: -8, windowSeconds: WINDOW_MS / 1000 };
  return { key: 'daily:alpha/main', units, minUnits: Math.max(1, units), ...limit, ...more };
}

/** Granted units of each demand; null if unavailable. */
export async function grantedBy(ledger: WindowLedger, ...demands: readonly Demand[]) {
  const charged = await ledger.charge(demands);
  return charged === null ? null : charged.grants.map(({ granted }) => granted);
}

/** Contract of every WindowLedger. */
export function describeWindowLedgerContract(name: string, { counting, make, wait }: WindowLedgerHarness): void {
  const partMs = WINDOW_MS / counting.parts;

  describe(`WindowLedger contract: ${name}`, () => {
    let ledger: WindowLedger;

    beforeEach(async () => {
      ledger = await make();
    });

    const granted = async (units: number, more: Partial<Demand> = {}) =>
      (await grantedBy(ledger, demandOf(units, more)))?.[0];
    const chargeOf = async (...demands: readonly Demand[]) => (await ledger.charge(demands)) ?? expect.fail('away');

    it('charges up to the last unit, and then nothing', async () => {
      expect(await granted(MAX_UNITS - 1)).to.equal(MAX_UNITS - 1);
      expect(await granted(2)).to.equal(0);
      expect(await granted(1)).to.equal(1);
      expect(await granted(1)).to.equal(0);
    });

    it('tells what is left, and charges nothing for that', async () => {
      const look = { units: 0, minUnits: 1, maxUnits: 1000, exponent: 0 };
      const left = async (more: Partial<Demand> = {}) =>
        (await chargeOf(demandOf(0, { ...look, ...more }))).grants[0]?.left();
      expect(await left()).to.equal(1000);
      const [grant] = (await chargeOf(demandOf(300, { maxUnits: 1000, exponent: 0 }))).grants;
      expect(grant?.left()).to.equal(700);
      expect([await left(), await left()]).to.deep.equal([700, 700]);
      // In larger units, and below what is charged already.
      expect(await left({ exponent: 2, maxUnits: 10 })).to.equal(7);
      expect(await left({ maxUnits: 200 })).to.equal(0);
      wait(WINDOW_MS + partMs);
      expect(await left()).to.equal(1000);
    });

    it('counts each key for itself, with any text', async () => {
      const keys = [
        'daily:alpha/main',
        'daily:alpha/Main',
        'principal:a b',
        'address:2001:db8::/64',
        '__proto__',
        'ö',
        '',
      ];
      for (const key of keys) expect(await granted(MAX_UNITS, { key }), key).to.equal(MAX_UNITS);
      for (const key of keys) expect(await granted(1, { key }), key).to.equal(0);
    });

    it('charges no more than the maximum for many at once', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => granted(1, { maxUnits: 5 })));
      expect(all).to.deep.equal([...Array(5).fill(1), ...Array(15).fill(0)]);
    });

    it('charges no more than the maximum in any window, and says exactly when more fits', async () => {
      const steps = fc.array(fc.tuple(fc.nat(20 * partMs), fc.integer({ min: 1, max: 6 })), { maxLength: 25 });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (calls) => {
          runs += 1;
          const more = { key: `run-${runs}`, maxUnits: 10 };
          let now = 0;
          const charged: { readonly at: number; readonly units: number }[] = [];
          const sum = (withinMs: number) =>
            charged.filter(({ at }) => at > now - withinMs).reduce((total, one) => total + one.units, 0);
          for (const [pauseMs, units] of calls) {
            wait(pauseMs);
            now += pauseMs;
            const [grant] = (await chargeOf(demandOf(units, more))).grants;
            const waitMs = grant?.retryAfterMs(units) ?? Number.NaN;
            if (grant?.isRefused) {
              expect(sum(WINDOW_MS + partMs) + units).to.be.above(10);
              wait(waitMs - 1);
              expect(await granted(units, more)).to.equal(0);
              wait(1);
              now += waitMs;
              expect(await granted(units, more)).to.equal(units);
            }
            expect(sum(WINDOW_MS) + units).to.be.at.most(10);
            charged.push({ at: now, units });
          }
        }),
        { numRuns: 30 },
      );
    });

    it('says when more than the maximum has fit, one after the other', async () => {
      const [grant] = (await chargeOf(demandOf(3, { maxUnits: 3 }))).grants;
      for (const units of [1, 3, 7]) {
        const rounds = Math.ceil(units / 3);
        expect(grant?.retryAfterMs(units)).to.be.within(rounds * WINDOW_MS, rounds * (WINDOW_MS + partMs));
      }
    });

    it('charges nothing for 0 units, and says whether the least would fit', async () => {
      const check = async (minUnits: number) => (await chargeOf(demandOf(0, { minUnits }))).grants[0];
      for (let nth = 0; nth < 3; nth += 1) expect(await check(MAX_UNITS)).to.include({ granted: 0, isRefused: false });
      await granted(MAX_UNITS - 1);
      expect(await check(1)).to.include({ granted: 0, isRefused: false });
      expect(await check(2)).to.include({ granted: 0, isRefused: true });
    });

    it('refunds a charge, and no other one', async () => {
      const early = await chargeOf(demandOf(MAX_UNITS), demandOf(3, { key: 'other', maxUnits: 3 }));
      await early.refund();
      const second = await chargeOf(demandOf(MAX_UNITS), demandOf(3, { key: 'other', maxUnits: 3 }));
      expect(second.grants.map((grant) => grant.granted)).to.deep.equal([MAX_UNITS, 3]);
      wait(WINDOW_MS + partMs);
      expect(await granted(MAX_UNITS)).to.equal(MAX_UNITS);
      // It is not counted any more.
      await second.refund();
      expect(await granted(1)).to.equal(0);
    });

    it('keeps what was charged when the maximum changes, and with it the unit', async () => {
      await granted(4_000_000_000_000);
      const larger = { maxUnits: 1_000_000_000_000, exponent: -7 };
      expect(await granted(600_000_000_001, larger)).to.equal(0);
      expect(await granted(600_000_000_000, larger)).to.equal(600_000_000_000);
      expect(await granted(1)).to.equal(0);
      expect(await granted(1, { maxUnits: 9_000_000_000_000, exponent: -9 })).to.equal(0);
    });

    it('keeps what was charged within a window that changes', async () => {
      await granted(MAX_UNITS);
      wait(12_000);
      expect(await granted(1, { windowSeconds: 3600 })).to.equal(0);
      expect(await granted(1, { windowSeconds: 5 })).to.equal(1);
    });

    it('counts a charge for one window more after the clock was set back', async () => {
      wait(3_600_000);
      await granted(MAX_UNITS);
      wait(-3_600_000);
      expect(await granted(1)).to.equal(0);
      wait(WINDOW_MS - 1);
      expect(await granted(1)).to.equal(0);
      wait(1 + partMs);
      expect(await granted(MAX_UNITS)).to.equal(MAX_UNITS);
    });

    if (counting.isTogether) {
      it('charges all demands or none, and refuses those that do not fit', async () => {
        const count = { key: 'count', maxUnits: 10 };
        const charged = await chargeOf(demandOf(1), demandOf(10, count));
        expect(charged.grants.map((grant) => grant.granted)).to.deep.equal([1, 10]);
        const { grants } = await chargeOf(demandOf(1), demandOf(1, count), demandOf(11, { ...count, key: 'x' }));
        expect(grants.map((grant) => grant.granted)).to.deep.equal([0, 0, 0]);
        expect(grants.map((grant) => grant.isRefused)).to.deep.equal([false, true, true]);
        expect(await granted(MAX_UNITS - 1)).to.equal(MAX_UNITS - 1);
      });
    } else {
      it('charges what fits of each of many demands', async () => {
        await grantedBy(ledger, demandOf(5, { key: 'key-3', maxUnits: 5 }), demandOf(4, { key: 'key-7', maxUnits: 5 }));
        const units = Array.from({ length: MAX_DEMANDS }, (_, index) => (index % 4) + 1);
        const demands = units.map((wanted, index) =>
          demandOf(wanted, { key: `key-${index}`, minUnits: 1, maxUnits: 5 }),
        );
        expect(await grantedBy(ledger, ...demands)).to.deep.equal(units.with(3, 0).with(7, 1));
      });
    }
  });
}
