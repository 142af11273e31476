import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, warning } from './outcome.ts';
import { readLimit, readSystemFile } from './process-limits.ts';

/** Programs that receive core dumps and respect the process's limit. */
const LIMITED_HANDLERS = /\/(?:systemd-coredump|apport)$/;

const SET_LIMIT =
  'in the shell that starts the service, LimitCORE=0 in a systemd unit, `--ulimit core=0:0` for a container.';

/**
 * Whether a crash could write process memory to a file. Memory for keys is excluded from core
 * dumps; the rest is not.
 * @param proc path of the proc file system
 * @see https://man7.org/linux/man-pages/man5/core.5.html
 */
export function checkCoreDumps(dumpable: Dumpable, proc = '/proc'): Outcome {
  // fs.suid_dumpable=2 ("suidsafe") dumps non-dumpable processes for root.
  const dumpedForRoot = readSystemFile(join(proc, 'sys/fs/suid_dumpable'))?.trim() === '2';
  if (dumpable === 'no' && !dumpedForRoot) return 'none: the process is not dumpable';

  const limit = readLimit('Max core file size', proc);
  if (limit !== 0) {
    return warning(
      limit === undefined
        ? 'unknown: this system reports no limits'
        : 'a crash can write the memory of this process to a file',
      `Set both limits to 0: \`ulimit -c 0\` ${SET_LIMIT}`,
    );
  }
  if (readLimit('Max core file size', proc, 'hard') !== 0) {
    return warning(
      'currently none: the limit is 0, but the hard limit is not, so a process of this user can raise it',
      `Set the hard limit to 0 as well: \`ulimit -Hc 0\` ${SET_LIMIT}`,
    );
  }
  // The program behind a `|`.
  const handler = /^\|\s*(\S+)/.exec(readSystemFile(join(proc, 'sys/kernel/core_pattern')) ?? '')?.[1];
  if (handler === undefined || LIMITED_HANDLERS.test(handler)) return 'none: the limit is 0, and so is the hard limit';
  return warning(
    `the limit is 0, but core dumps go to the program ${handler}, for which the kernel does not enforce the limit`,
    'Set kernel.core_pattern to a file name, or make sure that this program respects the limit (%c in the pattern).',
  );
}

/** Whether processes of the same user can read this memory, and the kernel may dump it. */
type Dumpable = 'yes' | 'no' | 'unknown';

/**
 * Derived from the owner of /proc/self files, which is root for a process that is not dumpable
 * (proc(5)). Unknown for root.
 * @param effectiveUser numeric id; undefined where there is none
 */
export function readDumpable(proc = '/proc', effectiveUser: number | undefined = process.geteuid?.()): Dumpable {
  if (effectiveUser === undefined || effectiveUser === 0) return 'unknown';
  const environ = statSync(join(proc, 'self/environ'), { throwIfNoEntry: false });
  if (environ === undefined) return 'unknown';
  return environ.uid === effectiveUser ? 'yes' : 'no';
}

/** Whether other processes of the same user are kept from this one's memory. */
export function checkDumpable(proc = '/proc', effectiveUser: number | undefined = process.geteuid?.()): Outcome {
  switch (readDumpable(proc, effectiveUser)) {
    case 'no':
      return "not dumpable: other processes of this user cannot read this process's memory";
    case 'yes':
      return warning(
        "dumpable: other processes of this user can read this process's memory",
        'Run it with a node binary that its user can execute but not read: `chown root:root` and `chmod 0711` on a copy of node, started without capabilities. The image does this.',
      );
    case 'unknown':
      return effectiveUser === 0
        ? warning('unknown: root can read all memory anyway', 'Run the service and this command as a dedicated user.')
        : warning('unknown: this system does not report it', 'Run the service on Linux.');
  }
}
