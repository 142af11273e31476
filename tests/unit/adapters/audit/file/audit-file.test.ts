import { appendFileSync, constants, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { type FileOperations, nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { SinkBench, systemError, until, usePromptRetries, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const DISK_FULL = systemError('ENOSPC', 'no space left on device, write');
const DISK_BROKEN = systemError('EIO', 'i/o error, write');

/** A disk with space for `bytes`: the last write is short, the next one fails. */
function createDisk(capacity: number): FileOperations['write'] {
  let left = capacity;
  return async (fd, bytes, offset) => {
    if (left === 0) throw DISK_FULL;
    const written = await nodeFileOperations.write(fd, bytes.subarray(0, offset + left), offset);
    left -= written;
    return written;
  };
}

const fail = () => Promise.reject(DISK_BROKEN);

describe('AuditFile, when it cannot be written', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);
  usePromptRetries();

  function fillDisk(): void {
    Object.assign(bench().calls, { write: () => Promise.reject(DISK_FULL), freeBytes: async () => 0 });
  }

  function mend({ calls }: SinkBench = bench()): void {
    Object.assign(calls, nodeFileOperations);
  }

  it('has exactly the acknowledged records, complete, wherever the disk fills up', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 1, max: 9 }), async (capacity, burst) => {
        const own = join(folder(), `run-${run++}`);
        const full = new SinkBench(own);
        await full.open();
        full.calls.write = createDisk(capacity);
        full.calls.freeBytes = async () => 0;
        for (let round = 0; round < 4; round += 1) await full.append(burst);
        full.verifyExactly();
        await full.close();
        rmSync(own, { recursive: true });
      }),
      { numRuns: 15 },
    );
  });

  it('rejects queued and later records with cause and remedy', async () => {
    const { file, calls } = bench();
    await bench().open();
    calls.write = createDisk(100);
    calls.freeBytes = async () => 0;
    const message =
      `The audit file ${file} (SIGNING_AUDIT_FILE) cannot be written (ENOSPC: no space left on device, write), ` +
      'so no signature is released. Free space on its disk. A running service resumes signing as soon as it can begin a new file.';
    expect(await bench().append(3)).to.deep.equal([message, message, message]);
    expect(bench().sink.available).to.equal(false);
    expect(await bench().append(2)).to.deep.equal([message, message]);
    expect(bench().log.events.at(-1)).to.deep.equal({
      level: 'error',
      message,
      facts: { count: 1, file, cause: DISK_FULL },
    });
    bench().verifyExactly();
  });

  it('does not mistake an error of the usage ledger for a disk failure', async () => {
    const failure = new Error('The counter failed.');
    const { usage } = bench();
    const { count } = usage;
    await bench().open();
    usage.count = () => {
      throw failure;
    };
    const appended = bench().sink.append(sampleAuditEntry({ correlationId: 'c-of-another' }));
    expect(await appended.catch((error: unknown) => error)).to.equal(failure);
    usage.count = count;
    expect(bench().sink.available).to.equal(true);
    await bench().append();
    expect(bench().names()).to.deep.equal(['audit.jsonl']);
    expect(bench().verify().ids).to.deep.equal(['c-of-another', 'c-0']);
  });

  it('creates no file while the disk is almost full, and resumes by itself in a new one once it has space', async () => {
    await bench().open();
    await bench().append(5);
    fillDisk();
    await bench().append(5);
    bench().calls.write = createDisk(2000);
    await until(() => bench().log.events.at(-1)?.message.includes('0 bytes left') ?? false, 'it logs the free space');
    expect(bench().names()).to.deep.equal(['audit.jsonl']);
    expect(await bench().append(2)).to.have.length(2);
    mend();
    await bench().available();
    expect(await bench().append(5)).to.deep.equal([]);
    const { files } = bench().verifyExactly();
    expect(files.map(({ reason }) => reason)).to.deep.equal(['first', 'write-error']);
    expect(bench().names()).to.deep.equal(['audit.000000000001-000000000006.jsonl', 'audit.jsonl']);
    expect(bench().usage.counted).to.have.length(bench().acknowledged.length);
    expect(bench().log.events.at(-1)?.message).to.include('is writable again');
  });

  it('never syncs a failed descriptor again, and continues in a new file', async () => {
    await bench().open();
    const synced: number[] = [];
    let failed: number | undefined;
    bench().calls.fdatasync = async (fd) => {
      synced.push(fd);
      failed ??= fd;
      if (synced.length === 1) throw DISK_BROKEN;
      await nodeFileOperations.fdatasync(fd);
    };
    bench().calls.close = async (fd) => {
      if (fd === failed) expect(synced.filter((one) => one === fd)).to.have.length(1);
      if (fd === failed) failed = -1;
      await nodeFileOperations.close(fd);
    };
    expect(await bench().append(5)).to.have.length(5);
    await bench().sink.reopen();
    expect(failed).to.equal(-1);
    expect(await bench().append(5)).to.deep.equal([]);
    expect(bench().verifyExactly().files).to.have.length(2);
  });

  it('rejects records that arrived meanwhile, even if the disk works again', async () => {
    await bench().open();
    const waiting: Promise<readonly string[]>[] = [];
    bench().calls.fdatasync = async () => {
      bench().calls.fdatasync = nodeFileOperations.fdatasync;
      waiting.push(bench().append(), bench().append());
      throw DISK_BROKEN;
    };
    await bench().append();
    for (const [reason] of await Promise.all(waiting)) expect(reason).to.include('EIO');
    expect(bench().acknowledged).to.deep.equal([]);
  });

  it('fails when the system writes no byte', async () => {
    await bench().open();
    bench().calls.write = async () => 0;
    expect((await bench().append())[0]).to.include('wrote none of the bytes');
  });

  it('removes the refused records before it continues, even if that failed at first', async () => {
    await bench().open();
    await bench().append(3);
    Object.assign(bench().calls, { fdatasync: fail, ftruncate: fail });
    await bench().append(4);
    expect(readFileSync(bench().file, 'utf8').split('\n')).to.have.length(1 + 3 + 4 + 1);
    mend();
    await bench().sink.reopen();
    await bench().append(3);
    bench().verifyExactly();
  });

  it('waits until every call that it needs works again', async () => {
    for (const call of ['open', 'rename', 'fsync', 'read', 'fchmod', 'freeBytes'] as const) {
      const own = new SinkBench(join(folder(), call));
      await own.open();
      await own.append(3);
      own.calls.write = () => Promise.reject(DISK_FULL);
      await own.append(2);
      own.calls.write = nodeFileOperations.write;
      Object.assign(own.calls, { [call]: fail });
      await own.sink.reopen();
      expect(own.sink.available, call).to.equal(false);
      mend(own);
      await own.sink.reopen();
      await own.append(3);
      expect(own.verifyExactly().files).to.have.length(2);
      expect(own.names(), call).to.have.length(2);
      await own.close();
    }
  });

  it('starts no chain in a file whose first record cannot be read back', async () => {
    await bench().open();
    await bench().append(3);
    fillDisk();
    await bench().append(2);
    mend();
    const made = new Set<number>();
    bench().calls.open = async (path, flags, mode) => {
      const fd = await nodeFileOperations.open(path, flags, mode);
      if ((flags & constants.O_CREAT) !== 0) made.add(fd);
      return fd;
    };
    bench().calls.read = async (fd, buffer, position) => {
      const read = await nodeFileOperations.read(fd, buffer, position);
      if (made.has(fd)) buffer.fill(0);
      return read;
    };
    await bench().sink.reopen();
    expect(made.size).to.be.above(0);
    expect(bench().sink.available).to.equal(false);
    mend();
    await bench().available();
    await bench().append();
    bench().verifyExactly();
    expect(bench().names()).to.have.length(2);
  });

  it('never truncates data written by another process', async () => {
    const foreign = `${'x'.repeat(5000)}\n`;
    await bench().open();
    bench().calls.fdatasync = async () => {
      appendFileSync(bench().file, foreign);
      throw DISK_BROKEN;
    };
    await bench().append();
    mend();
    await until(
      () => bench().log.events.at(-1)?.message.includes('was replaced or written to') ?? false,
      'it logs that',
    );
    expect(readFileSync(bench().file, 'utf8').endsWith(foreign)).to.equal(true);
    expect(bench().sink.available).to.equal(false);
  });

  it('never extends a truncated file', async () => {
    await bench().open();
    bench().calls.fdatasync = async () => {
      truncateSync(bench().file, 0);
      throw DISK_BROKEN;
    };
    await bench().append();
    mend();
    await until(() => bench().log.events.at(-1)?.message.includes('was truncated') ?? false, 'it logs that');
    expect(readFileSync(bench().file, 'utf8')).to.equal('');
  });

  it('acknowledges nothing when only the check after the sync fails', async () => {
    await bench().open();
    await bench().append(2);
    bench().calls.fdatasync = async (fd) => {
      await nodeFileOperations.fdatasync(fd);
      bench().calls.stat = fail;
    };
    expect(await bench().append(2)).to.have.length(2);
    mend();
    await bench().sink.reopen();
    await bench().append(2);
    bench().verifyExactly();
    expect(bench().usage.counted).to.have.length(4);
  });

  it('creates no file when closed during an attempt', async () => {
    await bench().open();
    fillDisk();
    let closing: Promise<void> | undefined;
    bench().calls.freeBytes = async () => {
      closing ??= bench().close();
      return 0;
    };
    await bench().append();
    await until(() => closing !== undefined, 'it tried');
    await closing;
    mend();
    mock.timers.tick(60_000);
    await sleep(20);
    expect(bench().names()).to.deep.equal(['audit.jsonl']);
  });

  it('releases its locks even if the file does not close cleanly', async () => {
    await bench().open();
    bench().calls.close = async (fd) => {
      await nodeFileOperations.close(fd);
      throw DISK_BROKEN;
    };
    await bench().append();
    await bench().close();
    expect(bench().log.events.map(({ level }) => level)).to.include('warn');
    mend();
    await bench().open();
    await bench().append();
    bench().verifyExactly();
  });
});
