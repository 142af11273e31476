import { join } from 'node:path';
import { readIfThere } from './read-if-there.ts';

/** Limits of a process, as proc_pid_limits(5) names them. */
export type LimitName = 'Max core file size' | 'Max locked memory' | 'Max open files';

/** `soft`: in force now; `hard`: as far as the process may raise that by itself. */
export type LimitKind = 'soft' | 'hard';

/**
 * A limit of this process, in bytes (of open files: their number); Infinity when there is none, undefined on a system that doesn't tell.
 * @param proc where the proc file system is
 */
export function readLimit(name: LimitName, proc = '/proc', kind: LimitKind = 'soft'): number | undefined {
  const limits = readIfThere(join(proc, 'self/limits'));
  const limit = limits
    ?.split('\n')
    .find((line) => line.startsWith(name))
    ?.slice(name.length)
    .trim()
    .split(/\s+/)[kind === 'soft' ? 0 : 1];
  if (limit === 'unlimited') return Number.POSITIVE_INFINITY;
  return limit !== undefined && /^\d+$/.test(limit) ? Number(limit) : undefined;
}
