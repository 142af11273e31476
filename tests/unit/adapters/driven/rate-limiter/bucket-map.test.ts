import { expect } from 'chai';
import fc from 'fast-check';
import { BucketMap } from '../../../../../src/adapters/driven/rate-limiter/bucket-map.ts';

const WINDOW_MS = 1000;

describe('BucketMap', () => {
  it('keeps a bucket until a window has passed since it was used, whenever other keys come', () => {
    const use = fc.tuple(fc.nat(600), fc.constantFrom('a', 'b', 'c', 'd'));
    fc.assert(
      fc.property(fc.array(use, { maxLength: 40 }), (uses) => {
        const map = new BucketMap(WINDOW_MS, 100);
        const lastUsed = new Map<string, number>();
        let now = 0;
        for (const [pauseMs, key] of uses) {
          now += pauseMs;
          map.set(key, { used: 1, at: now });
          lastUsed.set(key, now);
          for (const [known, at] of lastUsed) {
            if (now - at < WINDOW_MS) expect(map.get(known), `${known} at ${now}`).to.deep.equal({ used: 1, at });
          }
        }
      }),
    );
  });

  it('drops a bucket when a window has passed since its half was set aside', () => {
    const map = new BucketMap(WINDOW_MS, 100);
    map.set('early', { used: 1, at: 0 });
    map.set('late', { used: 1, at: WINDOW_MS - 1 });
    map.set('other', { used: 1, at: WINDOW_MS });
    map.set('other', { used: 1, at: 2 * WINDOW_MS - 1 });
    expect([map.get('early'), map.get('late')]).not.to.include(undefined);
    map.set('other', { used: 1, at: 2 * WINDOW_MS });
    expect([map.get('early'), map.get('late')]).to.deep.equal([undefined, undefined]);
    expect(map.size).to.equal(2);
  });
});
