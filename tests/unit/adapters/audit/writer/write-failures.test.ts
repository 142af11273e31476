import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { type FileCalls, nodeCalls, type OpenFile } from '../../../../doubles/file-calls.ts';
import { DISK_BROKEN, DISK_FULL, SinkBench, until, usePromptRetries, useSinkBench } from '../sink-bench.ts';

/** A disk with space for `bytes`: the last write is short, the next one fails. */
function createDisk(capacity: number): FileCalls['write'] {
  let left = capacity;
  return async (file, bytes) => {
    if (left === 0) throw DISK_FULL;
    const written = await nodeCalls.write(file, bytes.subarray(0, left));
    left -= written;
    return written;
  };
}

const noSpace = (() => Promise.resolve({ bavail: 0, bsize: 4096 })) as unknown as FileCalls['statfs'];

describe('An audit file that cannot be written', () => {
  const bench = useSinkBench();
  usePromptRetries();

  it('has exactly the acknowledged records, complete, wherever the disk fills up', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 1, max: 9 }), async (capacity, burst) => {
        const full = new SinkBench(join(bench().folder, `run-${run++}`));
        await full.open();
        Object.assign(full.calls, { write: createDisk(capacity), statfs: noSpace });
        for (let round = 0; round < 4; round += 1) await full.append(burst);
        full.mend();
        await full.sink.reopen();
        await full.append(burst);
        full.verifyExactly();
        await full.close();
        rmSync(full.folder, { recursive: true });
      }),
      { numRuns: 15 },
    );
  });

  it('rejects queued and later records with cause and remedy', async () => {
    const file = bench().segment(1);
    await bench().open();
    Object.assign(bench().calls, { write: createDisk(100), statfs: noSpace });
    const message =
      `The audit file ${file} (SIGNING_AUDIT_FILE) cannot be written (ENOSPC: no space left on device, write), ` +
      'so no signature is released. Free space on its disk. A running service resumes signing as soon as it can begin a new file.';
    expect(await bench().append(3)).to.deep.equal([message, message, message]);
    expect(bench().sink.available).to.equal(false);
    expect(await bench().append(2)).to.deep.equal([message, message]);
    const facts = { count: 1, file, cause: DISK_FULL };
    expect(bench().log.events.at(-1)).to.deep.equal({ level: 'error', message, facts });
  });

  it('rejects records that arrived during the failed write, even if the disk works again', async () => {
    await bench().open();
    const waiting: Promise<readonly string[]>[] = [];
    bench().calls.datasync = async () => {
      bench().mend();
      waiting.push(bench().append(), bench().append());
      throw DISK_BROKEN;
    };
    await bench().append();
    for (const [reason] of await Promise.all(waiting)) expect(reason).to.include('EIO');
    expect(bench().acknowledged).to.deep.equal([]);
  });

  it('begins the next file, but none while the disk is almost full, and resumes by itself', async () => {
    await bench().open();
    await bench().append(5);
    Object.assign(bench().calls, { write: createDisk(0), statfs: noSpace });
    await bench().append(5);
    bench().calls.write = createDisk(2000);
    await until(() => bench().log.events.at(-1)?.message.includes('0 bytes left') ?? false, 'it logs the free space');
    expect(await bench().append(2)).to.have.length(2);
    expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.jsonl']);
    bench().mend();
    await bench().available();
    expect(await bench().append(5)).to.deep.equal([]);
    expect(bench().reasons()).to.deep.equal(['first', 'write-error']);
    expect(bench().names()).to.include('audit.000000000007.jsonl');
    expect(bench().counted).to.equal(10);
    expect(bench().log.events.at(-1)?.message).to.include('is writable again');
  });

  const moved = () => `${bench().segment(1)}.moved`;
  const reopenMoved = () => {
    renameSync(bench().segment(1), moved());
    return bench().sink.reopen();
  };
  for (const [ending, end, reasons] of [
    ['it retries', () => bench().sink.reopen(), ['first', 'write-error']],
    ['it closes', () => bench().restart(), ['first']],
    ['it finds the file moved', reopenMoved, ['first', 'reopened']],
  ] as const) {
    it(`never uses a failed descriptor again, and leaves no refused record in its file, when ${ending}`, async () => {
      await bench().open();
      await bench().append(2);
      const later: string[] = [];
      let failed: OpenFile | null = null;
      for (const name of ['write', 'datasync', 'sync', 'truncate', 'chmod', 'close'] as const) {
        const call = nodeCalls[name] as (file: OpenFile, ...args: readonly unknown[]) => Promise<unknown>;
        const observe = async (file: OpenFile, ...args: readonly unknown[]) => {
          if (file === failed) later.push(name);
          if (name !== 'datasync' || failed !== null) return call(file, ...args);
          failed = file;
          throw DISK_BROKEN;
        };
        Object.assign(bench().calls, { [name]: observe });
      }
      expect(await bench().append(5)).to.have.length(5);
      await end();
      expect(later).to.deep.equal(['close']);
      expect(await bench().append(5)).to.deep.equal([]);
      if (end === reopenMoved) renameSync(moved(), bench().segment(1));
      expect(bench().reasons()).to.deep.equal(reasons);
    });
  }

  it('fails when the system writes no byte', async () => {
    await bench().open();
    bench().calls.write = async () => 0;
    expect((await bench().append())[0]).to.include('wrote none of the bytes');
  });

  it('does not begin the next file before every call that it needs works again', async () => {
    for (const call of ['statfs', 'open', 'truncate', 'sync', 'stat', 'chmod', 'write', 'datasync'] as const) {
      const own = new SinkBench(join(bench().folder, call));
      await own.open();
      await own.append(3);
      chmodSync(own.segment(1), 0o640);
      own.fail(DISK_BROKEN, 'datasync');
      await own.append(2);
      own.mend();
      own.fail(DISK_BROKEN, call);
      await own.sink.reopen();
      expect(own.sink.available, call).to.equal(false);
      own.mend();
      await own.sink.reopen();
      await own.append(3);
      expect(own.verifyExactly().files).to.have.length(2);
      expect(own.names(), call).to.have.length(3);
      await own.close();
    }
  });

  it('creates no file when closed during an attempt', async () => {
    await bench().open();
    let closing: Promise<void> | undefined;
    bench().fail(DISK_FULL, 'write');
    bench().calls.statfs = ((path: string) => {
      closing ??= bench().close();
      return noSpace(path);
    }) as FileCalls['statfs'];
    await bench().append();
    await until(() => closing !== undefined, 'it tried');
    await closing;
    bench().mend();
    mock.timers.tick(60_000);
    await sleep(20);
    expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.jsonl']);
  });

  it('releases its locks even if it does not close cleanly', async () => {
    await bench().open();
    bench().calls.close = async (file) => {
      await nodeCalls.close(file);
      throw DISK_BROKEN;
    };
    await bench().append();
    await bench().close();
    expect(bench().log.events.map(({ level }) => level)).to.include('warn');
    bench().mend();
    await bench().open();
    await bench().append();
    bench().verifyExactly();
  });
});
