import { mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';
import { createGate, systemError, until, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

/** Longer than a result is valid. */
const STALE_MS = 300;

describe('The write probe', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);

  /** A result that cannot be cached. */
  async function response(): Promise<string | null> {
    await sleep(STALE_MS);
    return bench().sink.probe();
  }

  beforeEach(async () => {
    await bench().open();
    await bench().append();
  });

  const failures = [
    ['a disk that is full', 'write', 'ENOSPC', 'Free space on its disk'],
    ['an exhausted quota', 'write', 'EDQUOT', 'Raise the disk quota'],
    ['a disk that fails', 'fdatasync', 'EIO', 'Check the disk'],
    ['a file system that was made read-only', 'open', 'EROFS', 'Mount a writable volume'],
  ] as const;
  for (const [what, call, code, remedy] of failures) {
    it(`reports ${what}, and its recovery`, async () => {
      const fail = () => Promise.reject(systemError(code, `as a test wants it, ${call}`));
      Object.assign(bench().calls, { [call]: fail });
      expect(await response())
        .to.include(bench().file)
        .and.include(code)
        .and.include(remedy);
      Object.assign(bench().calls, nodeFileOperations);
      expect(await response()).to.equal(null);
      expect(await bench().append()).to.deep.equal([]);
      bench().verifyExactly();
    });
  }

  it('reports a missing folder, and recovers once it exists', async () => {
    rmSync(folder(), { recursive: true });
    expect(await response()).to.include(bench().file);
    mkdirSync(folder());
    await bench().available();
    expect(await response()).to.equal(null);
  });

  it('reports a file truncated by another program', async () => {
    truncateSync(bench().file, 10);
    expect(await response()).to.include('truncated by another program');
  });

  it('recovers a removed file first', async () => {
    rmSync(bench().file);
    expect(await response()).to.equal(null);
    expect(readFileSync(bench().file, 'utf8')).to.include('"event":"segment"');
  });

  it('reports a hanging disk after half a second, with a single access', async () => {
    const gate = createGate();
    let lookups = 0;
    bench().calls.fdatasync = async (fd) => {
      lookups += 1;
      await gate.passed;
      return nodeFileOperations.fdatasync(fd);
    };
    await sleep(STALE_MS);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      for (let round = 0; round < 3; round++) {
        const responses = Promise.all([bench().sink.probe(), bench().sink.probe()]);
        mock.timers.tick(499);
        expect(await isSettled(responses)).to.equal(false);
        mock.timers.tick(1);
        for (const text of await responses) expect(text).to.include('has not responded for 500 ms');
      }
    } finally {
      mock.timers.reset();
    }
    await until(() => lookups > 0, 'the disk was asked');
    expect(lookups).to.equal(1);
    gate.open();
    expect(await response()).to.equal(null);
  });

  it('reports a disk that hangs during a write', async () => {
    const gate = createGate();
    bench().calls.fdatasync = async (fd) => {
      await gate.passed;
      return nodeFileOperations.fdatasync(fd);
    };
    const appended = bench().append();
    expect(await response()).to.include('has not responded for 500 ms');
    gate.open();
    expect(await appended).to.deep.equal([]);
    expect(await response()).to.equal(null);
  });

  it('accepts a recent record as a result', async () => {
    bench().calls.open = () => Promise.reject(systemError('EROFS', 'nothing is opened'));
    for (let count = 0; count < 5; count++) {
      await bench().append();
      expect(await bench().sink.probe()).to.equal(null);
    }
  });

  it('leaves nothing behind', async () => {
    expect(await response()).to.equal(null);
    expect(bench().names()).to.deep.equal(['audit.jsonl']);
  });
});
