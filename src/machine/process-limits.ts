import { join } from 'node:path';
import { readIfThere } from './read-if-there.ts';

/** Limits of a process, as proc_pid_limits(5) names them. */
export type LimitName = 'Max core file size' | 'Max locked memory';

/**
 * The soft limit that is in force for this process, in bytes; Infinity when there is none, undefined on a system that doesn't tell.
 * @param proc where the proc file system is
 */
export function readLimit(name: LimitName, proc = '/proc'): number | undefined {
  const limits = readIfThere(join(proc, 'self/limits'));
  const soft = limits
    ?.split('\n')
    .find((line) => line.startsWith(name))
    ?.slice(name.length)
    .trim()
    .split(/\s+/)[0];
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
  return soft !== undefined && /^\d+$/.test(soft) ? Number(soft) : undefined;
}
