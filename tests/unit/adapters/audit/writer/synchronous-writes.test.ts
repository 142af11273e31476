import { constants, readFileSync, renameSync } from 'node:fs';
import { expect } from 'chai';
import { recordFlags } from '../../../../../src/adapters/audit/writer/file-system.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { createAuditKey } from '../../../../doubles/audit-chain.ts';
import { nodeCalls } from '../../../../doubles/file-calls.ts';
import { systemError, usePromptRetries, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

/** O_DSYNC of Linux (fcntl.h), independent of the service. */
const LINUX_O_DSYNC = 0o10000;

/** Flags of a descriptor (proc_pid_fdinfo(5), octal). */
function isSynchronous(fd: number): boolean {
  const flags = /^flags:\t([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
  return (Number.parseInt(String(flags), 8) & LINUX_O_DSYNC) !== 0;
}

describe('The descriptor for appending audit records', () => {
  const bench = useSinkBench(useTemporaryFolder());
  usePromptRetries();

  it('is synchronous in every file, however it began', async () => {
    const written = new Set<string>();
    bench().calls.write = (file, bytes) => {
      expect(isSynchronous(file.handle.fd), file.path).to.equal(true);
      written.add(file.path);
      return nodeCalls.write(file, bytes);
    };
    const options = { rotation: { bytes: 3000, hours: 0, files: 0 } };
    await bench().open(options);
    for (let count = 0; count < 3; count += 1) expect(await bench().append()).to.deep.equal([]);
    await bench().close();
    await bench().open(options);
    await bench().append();
    await bench().sink.reopen();
    await bench().append();
    const moved = bench().segment(bench().sink.head.seq - 1);
    renameSync(moved, `${moved}.moved`);
    await bench().append();
    renameSync(`${moved}.moved`, moved);
    bench().calls.datasync = () => Promise.reject(systemError('EIO', 'i/o error, write'));
    expect(await bench().append()).to.have.length(1);
    bench().calls.datasync = nodeCalls.datasync;
    await bench().sink.reopen();
    await bench().append();
    await bench().close();
    await bench().open({ writer: { key: createAuditKey(), instanceId: 'instance-1', clock: bench().clock } });
    await bench().append();
    const { files } = bench().verifyExactly();
    const reasons = ['first', 'size', 'reopened', 'reopened', 'write-error', 'key'];
    expect(files.map(({ reason }) => reason)).to.deep.equal(reasons);
    expect(written.size).to.equal(reasons.length);
  });

  it('is rejected on a platform without O_DSYNC', () => {
    const { file } = bench();
    expect(() => recordFlags(file, {}))
      .to.throw(AuditUnavailableError, 'this platform lacks O_DSYNC')
      .with.property('message')
      .that.includes(file);
    expect(recordFlags(file) & constants.O_APPEND).to.equal(constants.O_APPEND);
  });

  describe('syncs only its own writes, so what a killed process left in the page cache', () => {
    let steps: string[];

    beforeEach(async () => {
      await bench().open();
      await bench().append(3);
      await bench().close();
      steps = [];
      bench().calls.write = (file, bytes) => {
        steps.push(`write ${file.path}`);
        return nodeCalls.write(file, bytes);
      };
    });

    it('is synced before anything is appended', async () => {
      bench().calls.datasync = async (file) => {
        await nodeCalls.datasync(file);
        steps.push(`synced ${file.path}`);
      };
      await bench().open();
      await bench().append();
      expect(steps.slice(0, 2)).to.deep.equal([`synced ${bench().segment(1)}`, `write ${bench().segment(1)}`]);
    });

    it('prevents the start if it cannot be synced', async () => {
      bench().calls.datasync = () => Promise.reject(systemError('EIO', 'i/o error, fdatasync'));
      const before = readFileSync(bench().segment(1), 'utf8');
      const error = await bench()
        .open()
        .catch((reason: unknown) => reason);
      expect(String(error)).to.include(bench().file).and.include('Check the disk');
      expect(readFileSync(bench().segment(1), 'utf8')).to.equal(before);
      expect(steps).to.deep.equal([]);
    });
  });
});
