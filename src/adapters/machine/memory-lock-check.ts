import { withLockedBytes } from '../vault/locked-buffer.ts';
import { formatBytes } from './disk-space.ts';
import { type Finding, fail, ok, warning } from './finding.ts';
import { readLimit } from './process-limits.ts';

/**
 * Locked memory that suffices for a start with any master keys, and for any number of accounts,
 * whose keys are opened one at a time. Bytes.
 */
const NEEDED_BYTES = 64 * 1024;

/** Added to each locked buffer. */
const CANARY_BYTES = 16;

const REMEDY =
  'Raise the limit of locked memory: `ulimit -l 65536` in the shell that starts the service (only root can exceed the hard limit, with a line ' +
  '`<user> - memlock 65536` in /etc/security/limits.conf and a new login), LimitMEMLOCK=64M in a systemd unit, `--ulimit memlock=67108864:67108864` for a container.';

/**
 * Whether key memory can be locked into RAM: really locks what a service needs.
 * @param isRequired false with SIGNING_MEMORY_LOCK=warn
 * @param lock locks this many bytes; throws when it can't
 */
export function checkMemoryLock(
  isRequired: boolean,
  proc = '/proc',
  lock: (length: number) => void = tryLock,
): Finding {
  const limit = readLimit('Max locked memory', proc);
  try {
    lock(NEEDED_BYTES - CANARY_BYTES);
  } catch {
    const limitNote = limit === undefined ? '' : `; the limit is ${formatBytes(limit)}`;
    const message = `memory for keys cannot be locked (the service needs ${formatBytes(NEEDED_BYTES)}${limitNote})`;
    return isRequired
      ? fail('memlock', message, REMEDY)
      : warning('memlock', `${message}: keys can be written to swap`, REMEDY);
  }
  return ok('memlock', `${formatBytes(limit ?? NEEDED_BYTES)} can be locked`);
}

function tryLock(length: number): void {
  withLockedBytes(length, () => undefined);
}
