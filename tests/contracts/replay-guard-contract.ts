import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ReplayGuard, ReplayKey } from '../../src/ports/replay-guard.ts';
import type { FixedClock } from '../doubles/fixed-clock.ts';

const LIFE_MS = 30_000;

/** Longer than a guard refuses keys from before its start. */
const SETTLED_MS = 60_001;

/** Contract of every ReplayGuard. @param make a guard without keys, on this clock */
export function describeReplayGuardContract(clock: FixedClock, make: () => ReplayGuard): void {
  describe('ReplayGuard contract', () => {
    let guard: ReplayGuard;
    beforeEach(() => {
      guard = make();
    });

    const newKey = (key: Uint8Array = randomBytes(32)): ReplayKey => ({
      key,
      madeAt: clock.now(),
      until: clock.now() + LIFE_MS,
    });

    it('never returns new for a key that may predate its start, even if a client clock is ahead', async () => {
      const begin = clock.now();
      const ahead = () => ({ ...newKey(), madeAt: begin + LIFE_MS });
      for (const time of [begin, begin + 1000, begin + LIFE_MS]) {
        clock.set(time);
        expect(await guard.claim(newKey()), `made at begin + ${time - begin}`).to.equal('unavailable');
        expect(await guard.claim(ahead()), `looked up at begin + ${time - begin}`).to.equal('unavailable');
      }
      clock.set(begin + SETTLED_MS);
      expect(await guard.claim(ahead())).to.equal('too-old');
      expect(await guard.claim(newKey())).to.equal('new');
    });

    it('reports until when it refuses current requests, and then that it is available', async () => {
      expect(await guard.unavailability()).to.match(/until \d{4}-\d\d-\d\dT[\d:.]+Z/);
      clock.advance(SETTLED_MS);
      expect(await guard.unavailability()).to.equal(null);
    });

    describe('a minute after its start', () => {
      beforeEach(() => clock.advance(SETTLED_MS));

      it('returns new for an unclaimed key, and seen from then on', async () => {
        const key = newKey();
        expect(await guard.claim(key)).to.equal('new');
        expect(await guard.claim(key)).to.equal('seen');
        expect(await guard.claim({ ...key, key: Buffer.from(key.key) })).to.equal('seen');
        expect(await guard.claim(newKey())).to.equal('new');
      });

      it('returns new for exactly one of many concurrent claims of a key', async () => {
        const key = newKey();
        const claims = await Promise.all(Array.from({ length: 50 }, () => guard.claim(key)));
        expect(claims.filter((claim) => claim === 'new')).to.have.length(1);
        expect(claims.filter((claim) => claim === 'seen')).to.have.length(49);
      });

      it('returns seen until the key expires', async () => {
        const key = newKey();
        await guard.claim(key);
        for (let round = 0; round < 6; round += 1) {
          clock.advance(LIFE_MS / 6);
          await guard.claim(newKey());
          expect(await guard.claim(key)).to.equal('seen');
        }
      });

      it('never returns new for a claimed key, at any later or earlier clock time', async () => {
        const key = newKey();
        const begin = clock.now();
        await guard.claim(key);
        for (const time of [begin + LIFE_MS, begin + 2 * LIFE_MS, begin + 3_600_000, begin, begin + 1000]) {
          clock.set(time);
          expect(await guard.claim(key)).not.to.equal('new');
        }
        clock.set(begin + 3_600_000);
        await guard.claim(newKey());
        clock.set(begin);
        expect(await guard.claim(key)).not.to.equal('new');
      });
    });
  });
}
