import { expect } from 'chai';
import type { RateBudget } from '../../src/ports/rate-limiter.ts';
import { MAX_KEYS_AT_ONCE, type RateGrant, type RateLimiter } from '../../src/ports/rate-limiter.ts';

export interface RateLimiterHarness {
  /** A fresh limiter with full buckets. */
  readonly make: (budget: RateBudget) => Promise<RateLimiter>;
  /** Advances the limiter's time, which is frozen otherwise. */
  readonly wait: (milliseconds: number) => void;
}

/** Refills one point every two seconds. */
const BUDGET: RateBudget = { points: 5, windowSeconds: 10 };
const MS_PER_POINT = 2000;

/** Contract of every RateLimiter. */
export function describeRateLimiterContract(name: string, { make, wait }: RateLimiterHarness): void {
  describe(`RateLimiter contract: ${name}`, () => {
    let limiter: RateLimiter;

    beforeEach(async () => {
      limiter = await make(BUDGET);
    });

    const take = async (key: string, points: number, minPoints = points): Promise<RateGrant> => {
      const [grant] = await limiter.take([{ key, points, minPoints }]);
      return grant ?? expect.fail('no answer');
    };
    const granted = async (key: string, points: number, minPoints = points) =>
      (await take(key, points, minPoints)).granted;

    it('reports its budget, and how it is shared', () => {
      expect(limiter.budget).to.deep.equal(BUDGET);
      const { sharing } = limiter;
      expect(sharing.state).to.be.oneOf(['current', 'apart']);
      expect(sharing.apartSince === null).to.equal(sharing.state === 'current');
      expect(sharing.reason === null).to.equal(sharing.state === 'current');
    });

    it('grants the whole budget, at once or one by one, and then nothing', async () => {
      expect(await granted('at once', 5)).to.equal(5);
      expect(await granted('at once', 1)).to.equal(0);
      for (let nth = 0; nth < 5; nth += 1) expect(await granted('one by one', 1)).to.equal(1);
      expect(await granted('one by one', 1)).to.equal(0);
    });

    it('takes no points if it grants none', async () => {
      expect(await granted('main', 3)).to.equal(3);
      for (let nth = 0; nth < 10; nth += 1) expect(await granted('main', 5)).to.equal(0);
      expect(await granted('main', 2)).to.equal(2);
    });

    it('grants the remaining points if they reach the minimum, and reports when it is available again', async () => {
      expect(await take('main', 3, 1)).to.deep.equal({ granted: 3, retryAfterMs: 0 });
      expect(await take('main', 4, 1)).to.deep.equal({ granted: 2, retryAfterMs: MS_PER_POINT });
      expect(await granted('main', 4, 1)).to.equal(0);
    });

    it('reports when the minimum points are available, and grants them then and no sooner', async () => {
      await take('main', 5);
      expect(await take('main', 2)).to.deep.equal({ granted: 0, retryAfterMs: 2 * MS_PER_POINT });
      wait(2 * MS_PER_POINT - 1);
      expect(await take('main', 2)).to.deep.equal({ granted: 0, retryAfterMs: 1 });
      wait(1);
      expect(await granted('main', 2)).to.equal(2);
    });

    it('reports when, also if points refill in fractional milliseconds', async () => {
      limiter = await make({ points: 7, windowSeconds: 10 });
      await take('main', 7);
      for (let nth = 0; nth < 20; nth += 1) {
        const { granted: none, retryAfterMs } = await take('main', 3);
        expect(none).to.equal(0);
        wait(retryAfterMs - 1);
        expect(await granted('main', 3)).to.equal(0);
        wait(1);
        expect(await granted('main', 3)).to.equal(3);
      }
    });

    it('reports whether points are available, and takes none, if 0 points are requested', async () => {
      expect(await take('main', 0, 1)).to.deep.equal({ granted: 0, retryAfterMs: 0 });
      await take('main', 5);
      expect(await take('main', 0, 1)).to.deep.equal({ granted: 0, retryAfterMs: MS_PER_POINT });
    });

    it('refills a bucket evenly, and never beyond the budget', async () => {
      await take('main', 5);
      wait(MS_PER_POINT * 1.5);
      expect(await granted('main', 2, 1)).to.equal(1);
      wait(MS_PER_POINT * 0.5);
      expect(await granted('main', 2, 1)).to.equal(1);
      wait(8 * MS_PER_POINT);
      expect(await granted('main', 6, 1)).to.equal(5);
    });

    it('keeps keys with any text separate', async () => {
      const keys = ['main', 'Main', 'main ', 'principal:a b', 'address:2001:db8:0:0::/64', '__proto__', 'größe', ''];
      for (const key of keys) expect(await granted(key, 5), key).to.equal(5);
      for (const key of keys) expect(await granted(key, 1), key).to.equal(0);
    });

    it('returns the grants of many keys in order', async () => {
      await take('key-3', 5);
      await take('key-7', 4);
      const requests = Array.from({ length: MAX_KEYS_AT_ONCE }, (_, index) => {
        return { key: `key-${index}`, points: (index % 4) + 1, minPoints: 1 };
      });
      const grants = await limiter.take(requests);
      const wanted = requests
        .map(({ points }) => points)
        .with(3, 0)
        .with(7, 1);
      expect(grants.map((grant) => grant.granted)).to.deep.equal(wanted);
    });

    it('grants no more than the budget to many concurrent requests', async () => {
      const grants = await Promise.all(Array.from({ length: 20 }, () => granted('main', 1)));
      expect(grants.filter((points) => points === 1)).to.have.length(5);
    });

    it('counts to the last point with a budget of a million', async () => {
      limiter = await make({ points: 1_000_000, windowSeconds: 86_400 });
      for (const points of [1, 333_333, 666_665]) expect(await granted('main', points)).to.equal(points);
      expect(await granted('main', 1)).to.equal(1);
      expect(await granted('main', 1)).to.equal(0);
    });
  });
}
