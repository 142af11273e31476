import { constants, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { nodeFileOperations, recordFlags } from '../../../../../src/adapters/driven/audit-sink/file-operations.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { useSinkBench } from './sink-bench.ts';
import { systemError } from './system-error.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

/** O_DSYNC of Linux, as its fcntl.h has it; not taken from where the service takes it. */
const LINUX_O_DSYNC = 0o10000;

/** What the kernel itself says of how a descriptor was opened (proc_pid_fdinfo(5): octal). */
function isSynchronous(fd: number): boolean {
  const flags = /^flags:\t([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
  return (Number.parseInt(String(flags), 8) & LINUX_O_DSYNC) !== 0;
}

describe('The descriptor that audit records are appended to', () => {
  const bench = useSinkBench(useTemporaryFolder());
  const file = () => bench().file;
  /** Of each write of records so far, in order. */
  let writes: { readonly path: string; readonly fd: number; readonly isSynchronous: boolean }[];

  beforeEach(() => {
    writes = [];
    bench().calls.write = (fd, bytes, offset) => {
      writes.push({ path: readlinkSync(`/proc/self/fd/${fd}`), fd, isSynchronous: isSynchronous(fd) });
      return nodeFileOperations.write(fd, bytes, offset);
    };
  });

  /** Appends a record, and returns how many descriptors were written to since the sink was opened; each of them has to be synchronous. */
  async function expectSynchronous(): Promise<number> {
    expect(await bench().append()).to.deep.equal([]);
    expect(writes.length).to.be.above(0);
    for (const write of writes) expect(write).to.include({ path: file(), isSynchronous: true });
    return new Set(writes.map(({ fd }) => fd)).size;
  }

  it('is synchronous where a chain is begun', async () => {
    await bench().open();
    expect(await expectSynchronous()).to.equal(1);
    expect(writes).to.have.length(2);
  });

  it('is synchronous where a chain goes on in its file', async () => {
    await bench().open();
    await bench().append();
    await bench().close();
    writes = [];
    await bench().open();
    expect(await expectSynchronous()).to.equal(1);
    expect(writes).to.have.length(1);
  });

  it('is synchronous where a chain goes on behind a file that was rotated from it', async () => {
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

  it('is synchronous in the empty file that logrotate puts in its place', async () => {
    await bench().open();
    renameSync(file(), `${file()}.1`);
    writeFileSync(file(), '');
    await bench().sink.reopen();
    expect(await expectSynchronous()).to.equal(2);
    expect(bench().verifyExactly().files).to.have.length(2);
  });

  it('is synchronous in the file that is begun after a failed write', async () => {
    await bench().open();
    bench().calls.fdatasync = () => Promise.reject(systemError('EIO', 'i/o error, write'));
    expect(await bench().append()).to.have.length(1);
    bench().calls.fdatasync = nodeFileOperations.fdatasync;
    await bench().available();
    expect(await expectSynchronous()).to.equal(2);
    expect(bench().verifyExactly().files).to.have.length(2);
  });

  it('is not opened where the platform can not write so, with an error that says it', () => {
    const open = () => recordFlags(file(), {});
    expect(open)
      .to.throw(AuditUnavailableError, 'this platform has no O_DSYNC')
      .with.property('message')
      .that.includes(file());
    expect(recordFlags(file()) & constants.O_APPEND).to.equal(constants.O_APPEND);
  });

  describe('makes durable only what is written to it; so what a killed process left in the kernel alone is synced', () => {
    /** Writes of records, and the file that was synced, in order. */
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

    it('before anything is appended behind it', async () => {
      await bench().open();
      await bench().append();
      expect(steps.slice(0, 2)).to.deep.equal([`synced ${file()}`, `write ${file()}`]);
    });

    it('before the next file is begun, where it was moved away', async () => {
      renameSync(file(), `${file()}.1`);
      await bench().open();
      await bench().append();
      expect(steps.slice(0, 2)).to.deep.equal([`synced ${file()}.1`, `write ${file()}`]);
    });

    it('and nothing goes on behind it where that fails', async () => {
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
