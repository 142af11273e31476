import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatBytes } from '../../domain/model/text/wording.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';
import { type Outcome, warning } from './outcome.ts';

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

/**
 * A limit of this process in bytes, or number of files; Infinity for none, undefined when unknown.
 * @param proc path of the proc file system
 */
export function readLimit(name: LimitName, proc = '/proc', kind: 'soft' | 'hard' = 'soft'): number | undefined {
  const columns = new RegExp(`^${name} +(\\S+) +(\\S+)`, 'm').exec(readSystemFile(join(proc, 'self/limits')) ?? '');
  const limit = columns?.[kind === 'soft' ? 1 : 2];
  if (limit === 'unlimited') return Number.POSITIVE_INFINITY;
  return limit === undefined ? undefined : Number(limit);
}

/**
 * Locked memory that suffices for a start with any master keys, and for any number of accounts,
 * whose keys are opened one at a time. Bytes.
 */
const NEEDED_BYTES = 64 * 1024;

/** Added to each locked buffer. */
const CANARY_BYTES = 16;

/**
 * Whether key memory can be locked into RAM: really locks what a service needs.
 * @param isRequired false with SIGNING_MEMORY_LOCK=warn
 * @param lock locks this many bytes; throws when it can't
 */
export function checkMemoryLock(
  isRequired: boolean,
  proc = '/proc',
  lock: (length: number) => void = (length) => withLockedBytes(length, () => undefined),
): Outcome {
  const limit = readLimit('Max locked memory', proc);
  try {
    lock(NEEDED_BYTES - CANARY_BYTES);
  } catch {
    const limitNote = limit === undefined ? '' : `; the limit is ${formatBytes(limit)}`;
    const message = `memory for keys cannot be locked (the service needs ${formatBytes(NEEDED_BYTES)}${limitNote})`;
    return {
      state: isRequired ? 'fail' : 'warning',
      message: isRequired ? message : `${message}: keys can be written to swap`,
      remedy:
        'Raise the limit of locked memory: `ulimit -l 65536` in the shell that starts the service (only root can exceed the hard limit, with a line ' +
        '`<user> - memlock 65536` in /etc/security/limits.conf and a new login), LimitMEMLOCK=64M in a systemd unit, `--ulimit memlock=67108864:67108864` for a container.',
    };
  }
  return `${limit === Number.POSITIVE_INFINITY ? 'any amount' : formatBytes(limit ?? NEEDED_BYTES)} can be locked`;
}

/**
 * Whether the limit of open files leaves descriptors for the audit file and reloads beside all
 * connections.
 * @param connections of callers at most
 * @param proc path of the proc file system
 */
export function checkOpenFiles(connections: number, proc = '/proc'): Outcome {
  const needed = connections + OWN_FILES;
  const limit = readLimit('Max open files', proc);
  if (limit === undefined) return 'unknown: this system reports no limits';
  const message = `${limit === Number.POSITIVE_INFINITY ? 'any number of' : limit} files and connections can be open`;
  if (limit >= needed) return message;
  return warning(
    `${message}; ${connections} connections and the service's files need ${needed}`,
    `Raise the hard limit, up to which Node raises the limit automatically: \`ulimit -Hn ${needed}\` as root in the shell that starts the service, LimitNOFILE=${needed} in a systemd unit, ` +
      `\`--ulimit nofile=${needed}:${needed}\` for a container.`,
  );
}

/** Descriptors of the service besides callers' connections; it needs a few dozen. */
const OWN_FILES = 128;
