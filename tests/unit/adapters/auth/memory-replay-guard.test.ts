import { expect } from 'chai';
import { MemoryReplayGuard } from '../../../../src/adapters/auth/memory-replay-guard.ts';
import { describeReplayGuardContract } from '../../../contracts/replay-guard-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

const LIFE_MS = 30_000;

describe('MemoryReplayGuard', () => {
  const contractClock = new FixedClock();
  describeReplayGuardContract(contractClock, () => new MemoryReplayGuard(contractClock));

  function keyOf(number: number, clock: FixedClock, madeAt = clock.now()) {
    const key = Buffer.alloc(32);
    key.writeUInt32BE(number);
    return { key, madeAt, until: madeAt + LIFE_MS };
  }

  /** A guard past its initial blind time. */
  function settled(clock: FixedClock, maxKeys?: number): MemoryReplayGuard {
    const guard = new MemoryReplayGuard(clock, maxKeys);
    clock.advance(LIFE_MS + 1);
    return guard;
  }

  it('refuses requests made up to 30 s after startup: a previous process may have seen them', async () => {
    const clock = new FixedClock();
    const end = clock.now() + LIFE_MS;
    const guard = new MemoryReplayGuard(clock);
    clock.advance(1000);
    for (const madeAt of [end - LIFE_MS - 1, end - LIFE_MS, clock.now(), end]) {
      expect(await guard.claim(keyOf(1, clock, madeAt))).to.equal('unavailable');
    }
    // More than 30 seconds ahead: no earlier process accepted it.
    expect(await guard.claim(keyOf(1, clock, end + 1))).to.equal('new');
    expect(await guard.unavailability()).to.equal(
      `Nonces used before this start are unknown, so requests made until ${new Date(end).toISOString()} are rejected. With SIGNING_REDIS_URL nonces survive a restart.`,
    );
    clock.set(end + 1);
    expect(await guard.claim(keyOf(2, clock, end))).to.equal('too-old');
    expect(await guard.claim(keyOf(2, clock, end + 1))).to.equal('new');
  });

  it('evicts nothing when full: refuses new keys with a reason until old ones expire', async () => {
    const clock = new FixedClock();
    const guard = settled(clock, 3);
    for (const number of [1, 2, 3]) expect(await guard.claim(keyOf(number, clock))).to.equal('new');
    expect(await guard.claim(keyOf(4, clock))).to.equal('unavailable');
    expect(await guard.claim(keyOf(1, clock))).to.equal('seen');
    expect(await guard.unavailability()).to.include('is full (3 entries)');

    clock.advance(LIFE_MS + 5001);
    expect(await guard.unavailability()).to.equal(null);
    expect(await guard.claim(keyOf(4, clock))).to.equal('new');
  });

  it('accepts only requests made after those it has forgotten', async () => {
    const clock = new FixedClock();
    const guard = settled(clock);
    const madeAt = clock.now();
    await guard.claim(keyOf(1, clock));
    clock.advance(LIFE_MS + 5001);
    await guard.claim(keyOf(2, clock));
    clock.set(madeAt + 1000);
    expect(await guard.claim(keyOf(3, clock, madeAt))).to.equal('too-old');
    expect(await guard.claim(keyOf(4, clock, madeAt + 1))).to.equal('new');
  });

  it('keeps up with a stream of claims over minutes without growing', async () => {
    const clock = new FixedClock();
    const guard = settled(clock, 4000);
    for (let number = 1; number <= 20_000; number += 1) {
      clock.advance(10);
      expect(await guard.claim(keyOf(number, clock))).to.equal('new');
    }
  });
});
