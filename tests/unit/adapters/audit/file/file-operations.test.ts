import { constants, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { nodeFileOperations, recordFlags } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { systemError, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

/** O_DSYNC of Linux (fcntl.h), independent of the service. */
const LINUX_O_DSYNC = 0o10000;

/** Flags of a descriptor (proc_pid_fdinfo(5), octal). */
function isSynchronous(fd: number): boolean {
  const flags = /^flags:\t([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
  return (Number.parseInt(String(flags), 8) & LINUX_O_DSYNC) !== 0;
}

describe('The descriptor for appending audit records', () => {
  const bench = useSinkBench(useTemporaryFolder());
  const file = () => bench().file;
  let writes: { readonly path: string; readonly fd: number; readonly isSynchronous: boolean }[];

  beforeEach(() => {
    writes = [];
    bench().calls.write = (fd, bytes, offset) => {
      writes.push({ path: readlinkSync(`/proc/self/fd/${fd}`), fd, isSynchronous: isSynchronous(fd) });
      return nodeFileOperations.write(fd, bytes, offset);
    };
  });

  /**
   * Appends a record; returns the number of descriptors written to since the start, all of which
   * must be synchronous.
   */
  async function expectSynchronous(): Promise<number> {
    expect(await bench().append()).to.deep.equal([]);
    expect(writes.length).to.be.above(0);
    for (const write of writes) expect(write).to.include({ path: file(), isSynchronous: true });
    return new Set(writes.map(({ fd }) => fd)).size;
  }

  it('is synchronous for a new chain', async () => {
    await bench().open();
    expect(await expectSynchronous()).to.equal(1);
    expect(writes).to.have.length(2);
  });

  it('is synchronous for a continued file', async () => {
    await bench().open();
    await bench().append();
    await bench().close();
    writes = [];
    await bench().open();
    expect(await expectSynchronous()).to.equal(1);
    expect(writes).to.have.length(1);
  });

  it('is synchronous after a rotated file', async () => {
    await bench().open();
    await bench().close();
    renameSync(file(), `${file()}.1`);
    await bench().open();
    await expectSynchronous();
    bench().verifyExactly();
  });

  it('is synchronous after each rotation of its own', async () => {
    await bench().open({ rotation: { bytes: 1000, hours: 0, files: 0 } });
    for (let count = 0; count < 5; count += 1) await bench().append();
    expect(await expectSynchronous()).to.be.above(1);
    expect(bench().verifyExactly().files.length).to.be.above(2);
  });

  it('is synchronous in an empty file created by logrotate', async () => {
    await bench().open();
    renameSync(file(), `${file()}.1`);
    writeFileSync(file(), '');
    await bench().sink.reopen();
    expect(await expectSynchronous()).to.equal(2);
    expect(bench().verifyExactly().files).to.have.length(2);
  });

  it('is synchronous in the file after a failed write', async () => {
    await bench().open();
    bench().calls.fdatasync = () => Promise.reject(systemError('EIO', 'i/o error, write'));
    expect(await bench().append()).to.have.length(1);
    bench().calls.fdatasync = nodeFileOperations.fdatasync;
    await bench().available();
    expect(await expectSynchronous()).to.equal(2);
    expect(bench().verifyExactly().files).to.have.length(2);
  });

  it('is rejected on a platform without O_DSYNC', () => {
    const open = () => recordFlags(file(), {});
    expect(open)
      .to.throw(AuditUnavailableError, 'this platform lacks O_DSYNC')
      .with.property('message')
      .that.includes(file());
    expect(recordFlags(file()) & constants.O_APPEND).to.equal(constants.O_APPEND);
  });

  describe('syncs only its own writes, so data left in the page cache by a killed process is synced', () => {
    let steps: string[];

    beforeEach(async () => {
      await bench().open();
      await bench().append(3);
      await bench().close();
      steps = [];
      bench().calls.write = (fd, bytes, offset) => {
        steps.push(`write ${readlinkSync(`/proc/self/fd/${fd}`)}`);
        return nodeFileOperations.write(fd, bytes, offset);
      };
      bench().calls.fdatasync = async (fd) => {
        await nodeFileOperations.fdatasync(fd);
        steps.push(`synced ${readlinkSync(`/proc/self/fd/${fd}`)}`);
      };
    });

    it('before anything is appended', async () => {
      await bench().open();
      await bench().append();
      expect(steps.slice(0, 2)).to.deep.equal([`synced ${file()}`, `write ${file()}`]);
    });

    it('before the next file is created, if it was moved away', async () => {
      renameSync(file(), `${file()}.1`);
      await bench().open();
      await bench().append();
      expect(steps.slice(0, 2)).to.deep.equal([`synced ${file()}.1`, `write ${file()}`]);
    });

    it('and opening fails if that sync fails', async () => {
      bench().calls.fdatasync = () => Promise.reject(systemError('EIO', 'i/o error, fdatasync'));
      const before = readFileSync(file(), 'utf8');
      const message = await bench()
        .open()
        .then(
          () => expect.fail('should have rejected'),
          (error: unknown) => (error as Error).message,
        );
      expect(message).to.include(file()).and.include('Check the disk');
      expect(readFileSync(file(), 'utf8')).to.equal(before);
      expect(steps).to.deep.equal([]);
    });
  });
});
