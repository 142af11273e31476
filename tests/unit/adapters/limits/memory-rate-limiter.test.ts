import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryRateLimiter } from '../../../../src/adapters/limits/memory-rate-limiter.ts';
import { describeRateLimiterContract } from '../../../contracts/rate-limiter-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

const contractClock = new FixedClock();

describeRateLimiterContract('MemoryRateLimiter', {
  make: async (budget) => new MemoryRateLimiter(budget, contractClock),
  wait: (milliseconds) => contractClock.advance(milliseconds),
});

describe('MemoryRateLimiter', () => {
  const take = async (limiter: MemoryRateLimiter, key: string, points = 1) =>
    (await limiter.take([{ key, points, minPoints: 1 }]))[0]?.granted;

  it('bounds its keys, keeping recently used ones', async () => {
    const limiter = new MemoryRateLimiter({ points: 2, windowSeconds: 60 }, new FixedClock(), 1000);
    for (let nth = 0; nth < 4000; nth += 1) {
      await take(limiter, `invented-${nth}`);
      if (nth % 100 === 0) await take(limiter, 'regular', 2);
      expect(limiter.size).to.be.at.most(1000);
    }
    expect(await take(limiter, 'regular')).to.equal(0);
  });

  it('stores nothing for a key without a grant', async () => {
    const limiter = new MemoryRateLimiter({ points: 2, windowSeconds: 60 }, new FixedClock());
    await limiter.take([
      { key: 'asks', points: 0, minPoints: 1 },
      { key: 'is refused', points: 3, minPoints: 3 },
    ]);
    expect(limiter.size).to.equal(0);
  });

  it('evicts keys with full buckets as new keys arrive', async () => {
    const clock = new FixedClock();
    const limiter = new MemoryRateLimiter({ points: 2, windowSeconds: 1 }, clock);
    for (let nth = 0; nth < 1000; nth += 1) await take(limiter, `early-${nth}`);
    for (let nth = 0; nth < 3; nth += 1) {
      clock.advance(1000);
      await take(limiter, `late-${nth}`);
    }
    expect(limiter.size).to.be.below(10);
  });

  it('ignores the wall clock', async () => {
    const clock = new FixedClock();
    const limiter = new MemoryRateLimiter({ points: 1, windowSeconds: 10 }, clock);
    await take(limiter, 'main');
    clock.set('2030-01-01T00:00:00.000Z');
    expect(await take(limiter, 'main')).to.equal(0);
    clock.set('2020-01-01T00:00:00.000Z');
    clock.advance(10_000);
    expect(await take(limiter, 'main')).to.equal(1);
  });

  it('grants at most budget plus refill in any window, and all requests below that', async () => {
    const steps = fc.array(fc.tuple(fc.nat(700), fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 13 }), async (requested, points) => {
        const clock = new FixedClock();
        const limiter = new MemoryRateLimiter({ points, windowSeconds: 1 }, clock);
        const taken: { readonly at: number; readonly granted: number }[] = [];
        for (const [pauseMs, wanted] of requested) {
          clock.advance(pauseMs);
          const granted = (await take(limiter, 'main', wanted)) ?? Number.NaN;
          taken.push({ at: clock.monotonic(), granted });
          const sums = taken.map(({ at }, from) => {
            const sum = taken.slice(from).reduce((total, one) => total + one.granted, 0);
            return { sum, most: points + ((clock.monotonic() - at) * points) / 1000 };
          });
          for (const { sum, most } of sums) expect(sum).to.be.at.most(most + 1e-6);
          // A partial grant used all that some window allows.
          if (granted < wanted) expect(sums.some(({ sum, most }) => sum + 1 > most - 1e-6)).to.equal(true);
        }
      }),
      { numRuns: 40 },
    );
  });
});
