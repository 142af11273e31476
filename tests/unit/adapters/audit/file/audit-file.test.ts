import {
  appendFileSync,
  constants,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { type FileOperations, nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { SinkBench, systemError, until, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const DISK_FULL = systemError('ENOSPC', 'no space left on device, write');
const DISK_BROKEN = systemError('EIO', 'i/o error, write');
const NOT_ALLOWED = systemError('EACCES', 'permission denied, open');

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

/** Waits of the retry timer, in milliseconds, that were set while something ran. */
async function retryWaits(run: () => Promise<void>): Promise<readonly number[]> {
  const timers = mock.method(globalThis, 'setTimeout');
  try {
    await run();
  } finally {
    timers.mock.restore();
  }
  const waits = timers.mock.calls.map(({ arguments: [, wait = 0] }) => wait);
  return waits.filter((wait) => [100, 200, 400, 800].includes(wait));
}

describe('AuditFile, when it cannot be written', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);

  function fillDisk(): void {
    bench().calls.write = () => Promise.reject(DISK_FULL);
    bench().calls.freeBytes = async () => 0;
  }

  function freeSpace(): void {
    const { write, freeBytes } = nodeFileOperations;
    Object.assign(bench().calls, { write, freeBytes });
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
      { numRuns: 40 },
    );
  });

  it('rejects queued and later records with cause and remedy', async () => {
    const { file, calls } = bench();
    await bench().open();
    await bench().append();
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
    await bench().append();
    usage.count = () => {
      throw failure;
    };
    const appended = bench().sink.append(sampleAuditEntry({ correlationId: 'c-of-another' }));
    expect(await appended.catch((error: unknown) => error)).to.equal(failure);
    usage.count = count;
    expect(bench().sink.available).to.equal(true);
    await bench().append();
    expect(bench().names()).to.deep.equal(['audit.jsonl']);
    expect(bench().verify().ids).to.deep.equal(['c-0', 'c-of-another', 'c-1']);
  });

  it('resumes in a new file once the disk has space', async () => {
    await bench().open();
    await bench().append(5);
    fillDisk();
    await bench().append(5);
    await sleep(150);
    expect(bench().sink.available).to.equal(false);
    expect(await bench().append(2)).to.have.length(2);
    freeSpace();
    await bench().available();
    expect(await bench().append(5)).to.deep.equal([]);
    const { files } = bench().verifyExactly();
    expect(files.map(({ reason }) => reason)).to.deep.equal(['first', 'write-error']);
    expect(bench().names()).to.deep.equal(['audit.000000000001-000000000006.jsonl', 'audit.jsonl']);
    expect(bench().usage.counted).to.have.length(bench().acknowledged.length);
    expect(bench().log.events.at(-1)?.message).to.include('is writable again');
  });

  it('creates no file while the disk is almost full', async () => {
    await bench().open();
    fillDisk();
    await bench().append(5);
    bench().calls.write = createDisk(2000);
    await until(() => bench().log.events.at(-1)?.message.includes('0 bytes left') ?? false, 'it logs the free space');
    expect(bench().names()).to.deep.equal(['audit.jsonl']);
    expect(bench().sink.available).to.equal(false);
  });

  it('keeps one file and logs the same failure once across retries', async () => {
    await bench().open();
    await bench().append();
    fillDisk();
    let opened = 0;
    bench().calls.open = (path, flags, mode) => {
      opened += 1;
      return nodeFileOperations.open(path, flags, mode);
    };
    bench().calls.freeBytes = async () => 1e9;
    await bench().append();
    while (opened <= 2) await sleep(20);
    await sleep(200);
    expect(bench().names()).to.have.length.of.at.most(2);
    expect(bench().log.events.filter(({ level }) => level === 'error')).to.have.length.of.at.most(2);
    freeSpace();
    await bench().available();
    await bench().append();
    expect(bench().verifyExactly().files).to.have.length(2);
  });

  it('waits longer after each attempt', async () => {
    await bench().open();
    let attempts = 0;
    fillDisk();
    bench().calls.freeBytes = async () => {
      attempts += 1;
      return 0;
    };
    const waits = await retryWaits(async () => {
      await bench().append();
      await until(() => attempts === 3, 'there were three attempts');
    });
    expect(waits.slice(0, 3)).to.deep.equal([100, 200, 400]);
  });

  it('backs off when it fails again right after recovery', async () => {
    await bench().open();
    await bench().append();
    const waits = await retryWaits(async () => {
      for (let round = 0; round < 3; round += 1) {
        bench().calls.fdatasync = () => Promise.reject(DISK_BROKEN);
        await bench().append();
        bench().calls.fdatasync = nodeFileOperations.fdatasync;
        await bench().available();
      }
    });
    expect(waits).to.deep.equal([100, 200, 400]);
    expect(bench().verifyExactly().files).to.have.length(4);
  });

  it('never syncs a failed descriptor again, and continues in a new file', async () => {
    await bench().open();
    await bench().append(5);
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
    await bench().available();
    expect(failed).to.equal(-1);
    expect(await bench().append(5)).to.deep.equal([]);
    expect(
      bench()
        .verifyExactly()
        .files.map(({ reason }) => reason),
    ).to.deep.equal(['first', 'write-error']);
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
    await bench().available();
    await bench().append();
    bench().verifyExactly();
  });

  it('fails when the system writes no byte', async () => {
    await bench().open();
    bench().calls.write = async () => 0;
    expect((await bench().append())[0]).to.include('wrote none of the bytes');
  });

  it('retries a failed truncation during recovery', async () => {
    await bench().open();
    await bench().append(3);
    bench().calls.fdatasync = () => Promise.reject(DISK_BROKEN);
    let cuts = 0;
    bench().calls.ftruncate = async (fd, size) => {
      cuts += 1;
      if (cuts <= 3) throw DISK_BROKEN;
      await nodeFileOperations.ftruncate(fd, size);
    };
    await bench().append(4);
    expect(readFileSync(bench().file, 'utf8').split('\n')).to.have.length(1 + 3 + 4 + 1);
    bench().calls.fdatasync = nodeFileOperations.fdatasync;
    await bench().available();
    expect(cuts).to.equal(4);
    await bench().append(3);
    bench().verifyExactly();
  });

  for (const call of ['open', 'rename', 'fsync', 'read', 'fchmod', 'freeBytes'] as const) {
    it(`waits until ${call} works again`, async () => {
      await bench().open();
      await bench().append(3);
      fillDisk();
      await bench().append(2);
      Object.assign(bench().calls, { [call]: () => Promise.reject(NOT_ALLOWED) });
      if (call !== 'freeBytes') freeSpace();
      else bench().calls.write = nodeFileOperations.write;
      await sleep(150);
      expect(bench().sink.available).to.equal(false);
      expect(await bench().append()).to.have.length(1);
      Object.assign(bench().calls, nodeFileOperations);
      await bench().available();
      await bench().append(3);
      expect(bench().verifyExactly().files).to.have.length(2);
      expect(bench().names()).to.have.length(2);
    });
  }

  it('recovers even if the new file could be neither synced nor truncated at first', async () => {
    for (const create of [false, true]) {
      const own = new SinkBench(join(folder(), String(create)));
      await own.open();
      await own.append(3);
      renameSync(own.file, `${own.file}.1`);
      if (create) writeFileSync(own.file, '', { mode: 0o640 });
      own.calls.fdatasync = () => Promise.reject(DISK_BROKEN);
      own.calls.ftruncate = () => Promise.reject(DISK_BROKEN);
      await own.append(3);
      await sleep(200);
      Object.assign(own.calls, nodeFileOperations);
      await own.available();
      await own.append(3);
      own.verifyExactly();
      await own.close();
    }
  });

  it('starts no chain in a file whose first record cannot be read back', async () => {
    await bench().open();
    await bench().append(3);
    fillDisk();
    await bench().append(2);
    freeSpace();
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
    while (made.size === 0) await sleep(10);
    await sleep(100);
    expect(bench().sink.available).to.equal(false);
    bench().calls.read = nodeFileOperations.read;
    await bench().available();
    bench().verifyExactly();
  });

  it('retries at once on reopen', async () => {
    await bench().open();
    fillDisk();
    await bench().append();
    await sleep(350);
    freeSpace();
    await bench().sink.reopen();
    expect(bench().sink.available).to.equal(true);
    expect(await bench().append()).to.deep.equal([]);
  });

  it('keeps the records from before the start', async () => {
    await bench().open();
    await bench().append(2);
    await bench().close();
    await bench().open();
    bench().calls.fdatasync = () => Promise.reject(DISK_BROKEN);
    expect(await bench().append(5)).to.have.length(5);
    bench().verifyExactly();
    expect(bench().acknowledged).to.have.length(2);
  });

  it('continues after a rotation by another program', async () => {
    for (const create of [false, true]) {
      const own = new SinkBench(join(folder(), String(create)));
      await own.open();
      await own.append(3);
      own.calls.fdatasync = () => Promise.reject(DISK_BROKEN);
      own.calls.ftruncate = () => Promise.reject(DISK_BROKEN);
      await own.append(3);
      renameSync(own.file, `${own.file}.1`);
      if (create) writeFileSync(own.file, '', { mode: 0o640 });
      Object.assign(own.calls, nodeFileOperations);
      await own.available();
      await own.append(3);
      expect(own.verifyExactly().files.map(({ name }) => name)).to.deep.equal(['audit.jsonl.1', 'audit.jsonl']);
      await own.close();
    }
  });

  it('continues after a move to another folder, and keeps a copy', async () => {
    const own = new SinkBench(join(folder(), 'audit'));
    await own.open();
    await own.append(3);
    own.calls.fdatasync = () => Promise.reject(DISK_BROKEN);
    await own.append(3);
    renameSync(own.file, join(dirname(own.folder), 'elsewhere.jsonl'));
    Object.assign(own.calls, nodeFileOperations);
    await own.available();
    await own.append(3);
    expect(own.verifyExactly().files).to.have.length(2);
    await own.close();
  });

  it('never truncates data written by another process', async () => {
    const foreign = `${'x'.repeat(5000)}\n`;
    await bench().open();
    await bench().append();
    bench().calls.fdatasync = async () => {
      appendFileSync(bench().file, foreign);
      throw DISK_BROKEN;
    };
    await bench().append();
    bench().calls.fdatasync = nodeFileOperations.fdatasync;
    await sleep(400);
    expect(readFileSync(bench().file, 'utf8').endsWith(foreign)).to.equal(true);
    expect(bench().sink.available).to.equal(false);
  });

  it('never extends a truncated file', async () => {
    await bench().open();
    await bench().append();
    bench().calls.fdatasync = async () => {
      truncateSync(bench().file, 0);
      throw DISK_BROKEN;
    };
    await bench().append();
    await sleep(300);
    expect(readFileSync(bench().file, 'utf8')).to.equal('');
  });

  it('rejects while the path cannot be checked, and recovers', async () => {
    for (const call of ['stat', 'fstat'] as const) {
      const own = new SinkBench(join(folder(), call));
      await own.open();
      await own.append(2);
      if (call === 'fstat') renameSync(own.file, `${own.file}.1`);
      Object.assign(own.calls, { [call]: () => Promise.reject(DISK_BROKEN) });
      expect(await own.append(2)).to.have.length(2);
      expect(own.sink.available).to.equal(false);
      Object.assign(own.calls, nodeFileOperations);
      await own.available();
      await own.append(2);
      own.verifyExactly();
      await own.close();
    }
  });

  it('acknowledges nothing when only the check after the sync fails', async () => {
    await bench().open();
    await bench().append(2);
    bench().calls.fdatasync = async (fd) => {
      await nodeFileOperations.fdatasync(fd);
      bench().calls.stat = () => Promise.reject(DISK_BROKEN);
    };
    expect(await bench().append(2)).to.have.length(2);
    Object.assign(bench().calls, nodeFileOperations);
    await bench().available();
    await bench().append(2);
    bench().verifyExactly();
    expect(bench().usage.counted).to.have.length(4);
  });

  it('creates no file once closed', async () => {
    await bench().open();
    await bench().append();
    fillDisk();
    await bench().append();
    await bench().close();
    freeSpace();
    const before = bench().names();
    await sleep(400);
    expect(bench().names()).to.deep.equal(before);
    await bench().open();
    await bench().append();
    bench().verifyExactly();
  });

  it('creates no file when closed during an attempt', async () => {
    await bench().open();
    await bench().append();
    fillDisk();
    bench().calls.freeBytes = async () => {
      closing ??= bench().close();
      return 0;
    };
    let closing: Promise<void> | undefined;
    await bench().append();
    await until(() => closing !== undefined, 'it tried');
    await closing;
    freeSpace();
    await sleep(500);
    expect(bench().names()).to.deep.equal(['audit.jsonl']);
  });

  it('releases its locks even if the file does not close cleanly', async () => {
    let isBroken = false;
    bench().calls.close = async (fd) => {
      await nodeFileOperations.close(fd);
      if (isBroken) throw DISK_BROKEN;
    };
    await bench().open();
    isBroken = true;
    await bench().append();
    await bench().close();
    expect(bench().log.events.map(({ level }) => level)).to.include('warn');
    isBroken = false;
    await bench().open();
    await bench().append();
    bench().verifyExactly();
    expect(existsSync(`${bench().file}.lock`)).to.equal(true);
  });
});
