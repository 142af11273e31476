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

  it('is synchronous in every file: new, continued, rotated by the service or another program, after a failure', async () => {
    const descriptors = new Set<number>();
    let writes = 0;
    bench().calls.write = (fd, bytes, offset) => {
      expect(readlinkSync(`/proc/self/fd/${fd}`)).to.equal(file());
      expect(isSynchronous(fd)).to.equal(true);
      descriptors.add(fd);
      writes += 1;
      return nodeFileOperations.write(fd, bytes, offset);
    };
    const options = { rotation: { bytes: 1000, hours: 0, files: 0 } };
    await bench().open(options);
    expect(await bench().append()).to.deep.equal([]);
    expect(writes).to.equal(2);
    for (let count = 0; count < 3; count += 1) await bench().append();
    await bench().close();
    await bench().open(options);
    await bench().append();
    renameSync(file(), `${file()}.1`);
    writeFileSync(file(), '');
    await bench().sink.reopen();
    await bench().append();
    bench().calls.fdatasync = () => Promise.reject(systemError('EIO', 'i/o error, write'));
    expect(await bench().append()).to.have.length(1);
    bench().calls.fdatasync = nodeFileOperations.fdatasync;
    await bench().sink.reopen();
    await bench().append();
    await bench().close();
    renameSync(file(), `${file()}.2`);
    await bench().open(options);
    await bench().append();
    expect(bench().verifyExactly().files).to.have.length.above(5);
    expect(descriptors.size).to.be.above(1);
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
      const error = await bench()
        .open()
        .catch((reason: unknown) => reason);
      expect(String(error)).to.include(file()).and.include('Check the disk');
      expect(readFileSync(file(), 'utf8')).to.equal(before);
      expect(steps).to.deep.equal([]);
    });
  });
});
