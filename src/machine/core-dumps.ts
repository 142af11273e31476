import { join } from 'node:path';
import type { Dumpable } from './dumpable.ts';
import { type Finding, ok, warning } from './finding.ts';
import { readLimit } from './process-limits.ts';
import { readIfThere } from './read-if-there.ts';

/** Programs that take core dumps from the kernel and keep to the process's limit. */
const HEEDFUL_HANDLERS = /\/(?:systemd-coredump|apport)$/;

const REMEDY =
  'Set both limits to 0: `ulimit -c 0` in the shell that starts it, LimitCORE=0 in a systemd unit, `--ulimit core=0:0` for a container.';

const HARD_REMEDY =
  'Set the hard limit to 0 as well: `ulimit -Hc 0` in the shell that starts it, LimitCORE=0 in a systemd unit, `--ulimit core=0:0` for a container.';

/**
 * Whether a crash would write this process's memory to a file. Memory for keys is left out of core dumps; all the rest is not.
 * @param proc where the proc file system is
 * @see https://man7.org/linux/man-pages/man5/core.5.html
 */
export function checkCoreDumps(dumpable: Dumpable, proc = '/proc'): Finding {
  // With fs.suid_dumpable=2 ("suidsafe") a process that is not dumpable is dumped all the same, for root to read.
  const dumpedForRoot = readIfThere(join(proc, 'sys/fs/suid_dumpable'))?.trim() === '2';
  if (dumpable === 'no' && !dumpedForRoot) return ok('core-dumps', 'none: the process is not dumpable');

  const limit = readLimit('Max core file size', proc);
  if (limit === undefined) return warning('core-dumps', "can't tell: this system shows no limits", REMEDY);
  if (limit !== 0) return warning('core-dumps', 'a crash may write the memory of this process to a file', REMEDY);
  if (readLimit('Max core file size', proc, 'hard') !== 0) {
    return warning(
      'core-dumps',
      "none as it stands: the limit is 0, but the hard limit is not, so that this process, or another of its user's, can raise it",
      HARD_REMEDY,
    );
  }

  const handler = handlerOf(readIfThere(join(proc, 'sys/kernel/core_pattern')) ?? '');
  if (handler === undefined || HEEDFUL_HANDLERS.test(handler))
    return ok('core-dumps', 'none: the limit is 0, and so is the hard limit');
  return warning(
    'core-dumps',
    `the limit is 0, but core dumps go to the program ${handler}, for which the kernel does not enforce it`,
    'Set kernel.core_pattern to a file name, or see that this program keeps to the limit (%c in the pattern).',
  );
}

/** The program behind a `|` in kernel.core_pattern. */
function handlerOf(pattern: string): string | undefined {
  return /^\|\s*(\S+)/.exec(pattern)?.[1];
}
