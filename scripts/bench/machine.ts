import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** What numbers depend on that are no ratios. */
export interface Machine {
  /** Model of the processor. */
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
  /** Version of Linux. */
  readonly kernel: string;
  /** Where the audit files lie: type and device. */
  readonly fileSystem: string;
}

/** This machine. @param folder where the audit files lie */
export function thisMachine(folder: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
    kernel: release(),
    fileSystem: fileSystemOf(realpathSync(folder), readFileSync('/proc/self/mounts', 'utf8')),
  };
}

/** Type and device of the file system that a path lies in: `ext4 on /dev/sda1`. @param mounts as in /proc/self/mounts (proc_pid_mounts(5), fstab(5)) */
export function fileSystemOf(path: string, mounts: string): string {
  const places = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point = '']) => point === '/' || path === point || path.startsWith(`${point}/`));
  // The longest one; of several on the same folder the last hides the others.
  const [device, , type] = places.reduce(
    (best, one) => ((one[1] ?? '').length >= (best[1] ?? '').length ? one : best),
    ['', '', ''],
  );
  return type === '' ? 'unknown' : `${type} on ${device}`;
}

/** Short name of the commit that is checked out, with `-dirty` where files differ from it; null where git can't tell. */
export function thisCommit(): string | null {
  try {
    const words = ['describe', '--always', '--dirty', '--exclude=*'];
    return execFileSync('git', words, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return null;
  }
}
