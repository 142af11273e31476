import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MemoryReplayGuard } from '../../../../src/adapters/auth/memory-replay-guard.ts';
import { describeReplayGuardContract } from '../../../contracts/replay-guard-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const LIFE_MS = 30_000;

describe('MemoryReplayGuard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-replay-'));
  const file = join(folder, 'audit.jsonl.replay');
  let log: RecordingServiceLog;

  beforeEach(() => {
    log = new RecordingServiceLog();
  });
  afterEach(() => rmSync(file, { recursive: true, force: true }));
  after(() => rmSync(folder, { recursive: true }));

  const guardOn = (clock: FixedClock, maxKeys?: number) =>
    new MemoryReplayGuard({ file, clock, log, ...(maxKeys !== undefined && { maxKeys }) });

  const contractClock = new FixedClock();
  describeReplayGuardContract(contractClock, () => guardOn(contractClock));

  function keyOf(number: number, clock: FixedClock, madeAt = clock.now()) {
    const key = Buffer.alloc(32);
    key.writeUInt32BE(number);
    return { key, madeAt, until: madeAt + LIFE_MS };
  }

  /** A guard past its initial blind time. */
  function settled(clock: FixedClock, maxKeys?: number): MemoryReplayGuard {
    const guard = guardOn(clock, maxKeys);
    clock.advance(LIFE_MS + 1);
    return guard;
  }

  it('refuses requests made up to 30 s after startup: a previous process may have seen them', async () => {
    const clock = new FixedClock();
    const end = clock.now() + LIFE_MS;
    const guard = guardOn(clock);
    clock.advance(1000);
    for (const madeAt of [end - LIFE_MS - 1, end - LIFE_MS, clock.now(), end]) {
      expect(await guard.claim(keyOf(1, clock, madeAt))).to.equal('unavailable');
    }
    // More than 30 seconds ahead: no earlier process accepted it.
    expect(await guard.claim(keyOf(1, clock, end + 1))).to.equal('new');
    expect(await guard.unavailability()).to.equal(
      `Nonces used before this start are unknown, so requests made until ${new Date(end).toISOString()} are rejected. With SIGNING_REDIS_URL nonces survive a crash.`,
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
    const guard = settled(clock, 400);
    for (let number = 1; number <= 2000; number += 1) {
      clock.advance(100);
      expect(await guard.claim(keyOf(number, clock))).to.equal('new');
    }
  });

  describe('after a graceful stop', () => {
    const HEAD = { seq: 7, hash: `sha256:${'a'.repeat(64)}` };
    let clock: FixedClock;

    beforeEach(() => {
      clock = new FixedClock();
    });

    /** The guard of the next process, a second later. */
    async function restarted(head = HEAD): Promise<MemoryReplayGuard> {
      clock.advance(1000);
      const guard = guardOn(clock);
      await guard.start(head);
      return guard;
    }

    it('knows the accepted requests, also of a clock that was ahead, and accepts all others', async () => {
      const guard = settled(clock);
      const [now, ahead] = [clock.now(), clock.now() + LIFE_MS - 1];
      expect(await guard.claim(keyOf(1, clock, ahead))).to.equal('new');
      expect(await guard.claim(keyOf(2, clock, now))).to.equal('new');
      await guard.close(HEAD);
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      const next = await restarted();
      expect(await next.unavailability()).to.equal(null);
      expect(log.events).to.deep.equal([]);
      expect(await next.claim(keyOf(1, clock, ahead))).to.equal('seen');
      expect(await next.claim(keyOf(2, clock, now))).to.equal('seen');
      expect(await next.claim(keyOf(3, clock, now))).to.equal('new');
      clock.set(now + LIFE_MS + 5001);
      expect(await next.claim(keyOf(2, clock, now))).to.equal('too-old');
      expect(await next.claim(keyOf(1, clock, ahead))).to.equal('seen');
    });

    it('counts the keys that it goes on with', async () => {
      const guard = settled(clock, 2);
      for (const number of [1, 2]) await guard.claim(keyOf(number, clock));
      await guard.close(HEAD);
      const next = guardOn(clock, 2);
      await next.start(HEAD);
      expect(await next.unavailability()).to.include('is full (2 entries)');
    });

    it('accepts no claim after its close, which the file would lack', async () => {
      const guard = settled(clock);
      await guard.close(HEAD);
      expect(await guard.claim(keyOf(1, clock))).to.equal('unavailable');
    });

    it('keeps rejecting what the process before rejected, and what it forgot', async () => {
      const guard = guardOn(clock);
      const end = clock.now() + LIFE_MS;
      await guard.close(HEAD);
      const next = await restarted();
      expect(await next.claim(keyOf(1, clock, end))).to.equal('unavailable');
      expect(await next.claim(keyOf(1, clock, end + 1))).to.equal('new');
    });

    for (const [what, head] of [
      ['another record', { ...HEAD, hash: `sha256:${'b'.repeat(64)}` }],
      ['a later record', { ...HEAD, seq: 8 }],
      ['no record', { seq: 0, hash: null }],
    ] as const) {
      it(`counts as after a crash if the audit file ends with ${what}`, async () => {
        await settled(clock).close(HEAD);
        const next = await restarted(head as typeof HEAD);
        expect(await next.claim(keyOf(1, clock, clock.now() + LIFE_MS))).to.equal('unavailable');
        expect(log.events.map(({ level }) => level)).to.deep.equal(['warn']);
      });
    }

    for (const [what, damage] of [
      ['is damaged', () => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5))],
      ['is a folder', () => rmSync(file) === undefined && mkdirSync(file)],
      ['is of a clock that was ahead', () => clock.set(clock.now() - 2 * LIFE_MS)],
    ] as const) {
      it(`counts as after a crash, with a warning that names the file, if it ${what}`, async () => {
        await settled(clock).close(HEAD);
        damage();
        const next = await restarted();
        expect(await next.claim(keyOf(1, clock, clock.now() + LIFE_MS))).to.equal('unavailable');
        expect(log.events[0]).to.deep.include({ level: 'warn' });
        expect(log.events[0]?.message).to.include('as after a crash');
        expect(log.events[0]?.facts['file']).to.equal(file);
      });
    }

    it('warns at the stop if the file cannot be written', async () => {
      mkdirSync(join(file, 'taken'), { recursive: true });
      await settled(clock).close(HEAD);
      expect(log.events.map(({ level, facts }) => [level, facts['file']])).to.deep.equal([['warn', file]]);
    });
  });
});
