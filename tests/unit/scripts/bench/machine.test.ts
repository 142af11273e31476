import { expect } from 'chai';
import { fileSystemOf } from '../../../../scripts/bench/machine.ts';
import { busySeconds, busySecondsIn, cpuSeconds, cpuSecondsIn } from '../../../../scripts/bench/process-use.ts';

const MOUNTS = `proc /proc proc rw 0 0
/dev/vda / ext4 rw,relatime 0 0
tmpfs /tmp tmpfs rw 0 0
/dev/vdb /tmp/disk xfs rw 0 0
`;

describe('What the bench says of the machine', () => {
  it('is the file system of the longest mount point above a folder', () => {
    expect(fileSystemOf('/var/tmp', MOUNTS)).to.equal('ext4 on /dev/vda');
    expect(fileSystemOf('/tmp', MOUNTS)).to.equal('tmpfs on tmpfs');
    expect(fileSystemOf('/tmp/disk/a', MOUNTS)).to.equal('xfs on /dev/vdb');
    expect(fileSystemOf('/tmp/disks', MOUNTS)).to.equal('tmpfs on tmpfs');
  });

  it('is the last of several that are mounted on the same folder', () => {
    expect(fileSystemOf('/tmp/a', `${MOUNTS}/dev/vdc /tmp btrfs rw 0 0\n`)).to.equal('btrfs on /dev/vdc');
  });

  it('is the processor time of a process, whatever its name', () => {
    const numbers = Array.from({ length: 48 }, (_, index) => index + 4).join(' ');
    expect(cpuSecondsIn(`7 (a) b (c)) S ${numbers}\n`)).to.equal((14 + 15) / 100);
  });

  it('is the time that its processors were not idle, and did not wait for a disk', () => {
    expect(busySecondsIn('cpu  1 20 300 4000 50000 600 7000 80000 1 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n')).to.equal(
      (1 + 20 + 300 + 600 + 7000 + 80000) / 100,
    );
    expect(busySeconds()).to.be.above(cpuSeconds(process.pid));
  });

  it('is the processor time that this process used', () => {
    const [before, own] = [cpuSeconds(process.pid), process.cpuUsage()];
    for (let number = 0; number < 2e8; number += 1);
    const { user, system } = process.cpuUsage(own);
    expect(cpuSeconds(process.pid) - before).to.be.closeTo((user + system) / 1e6, 0.05);
  });
});
