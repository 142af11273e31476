import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads a small system file (proc(5), cgroups(7)); undefined when missing or unreadable. */
export function readSystemFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Limits of a process, as in proc_pid_limits(5). */
type LimitName = 'Max core file size' | 'Max locked memory' | 'Max open files';

type LimitKind = 'soft' | 'hard';

/**
 * A limit of this process in bytes, or number of files; Infinity for none, undefined when unknown.
 * @param proc path of the proc file system
 */
export function readLimit(name: LimitName, proc = '/proc', kind: LimitKind = 'soft'): number | undefined {
  const limits = readSystemFile(join(proc, 'self/limits'));
  const limit = limits
    ?.split('\n')
    .find((line) => line.startsWith(name))
    ?.slice(name.length)
    .trim()
    .split(/\s+/)[kind === 'soft' ? 0 : 1];
  if (limit === 'unlimited') return Number.POSITIVE_INFINITY;
  return limit !== undefined && /^\d+$/.test(limit) ? Number(limit) : undefined;
}
