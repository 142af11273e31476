import { mock } from 'node:test';
import { expect } from 'chai';
import { withFakeTimeouts } from '../../../../doubles/fake-timeouts.ts';
import { nodeCalls } from '../../../../doubles/file-calls.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';
import { createGate, DISK_BROKEN, systemError, until, useSinkBench } from '../sink-bench.ts';

/** Longer than a result is valid. */
const STALE_MS = 300;

describe('The write probe', () => {
  const bench = useSinkBench();
  let skippedMs: number;

  beforeEach(async () => {
    const { now } = performance;
    skippedMs = 0;
    mock.method(performance, 'now', () => now.call(performance) + skippedMs);
    await bench().open();
    await bench().append();
  });
  afterEach(() => mock.reset());

  /** A result that is not cached. */
  async function response(): Promise<string | null> {
    skippedMs += STALE_MS;
    return bench().sink.probe();
  }

  it('reports a full, failing or read-only disk with the remedy, and its recovery', async () => {
    for (const [call, code, remedy] of [
      ['write', 'ENOSPC', 'Free space on its disk'],
      ['datasync', 'EIO', 'Check the disk'],
      ['open', 'EROFS', 'Mount a writable volume'],
    ] as const) {
      const failure = systemError(code, `as a test wants it, ${call}`);
      bench().fail(failure, call);
      const issue = await response();
      for (const part of [bench().file, code, remedy]) expect(issue).to.include(part);
      bench().mend();
      expect(await bench().sink.probe(), 'for a short time').to.equal(issue);
      expect(await response()).to.equal(null);
      bench().fail(failure, call);
      expect(await bench().sink.probe(), 'for a short time').to.equal(null);
      bench().mend();
      expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.jsonl']);
    }
    bench().verifyExactly();
  });

  it('reports a hanging disk after half a second, with a single access, also during a write', async () => {
    for (const isWriting of [false, true]) {
      const gate = createGate();
      let accesses = 0;
      bench().calls.datasync = async (file) => {
        accesses += 1;
        await gate.passed;
        return nodeCalls.datasync(file);
      };
      const appended = isWriting ? bench().append() : [];
      if (isWriting) await until(() => accesses > 0, 'the write began');
      skippedMs += STALE_MS;
      await withFakeTimeouts(async (tick) => {
        const responses = Promise.all([bench().sink.probe(), bench().sink.probe()]);
        tick(499);
        expect(await isSettled(responses)).to.equal(false);
        tick(1);
        expect(await isSettled(responses)).to.equal(true);
        for (const text of await responses) expect(text).to.include('has not responded for 500 ms');
      });
      await until(() => accesses > 0, 'the disk was accessed');
      expect(accesses).to.equal(1);
      gate.open();
      expect(await appended).to.deep.equal([]);
      expect(await response()).to.equal(null);
    }
  });

  it('accepts a recent record as a result', async () => {
    bench().fail(DISK_BROKEN, 'open');
    for (let count = 0; count < 3; count += 1) {
      skippedMs += STALE_MS;
      await bench().append();
      expect(await bench().sink.probe()).to.equal(null);
    }
  });
});
