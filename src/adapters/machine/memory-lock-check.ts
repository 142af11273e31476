import { withLockedBytes } from '../vault/locked-buffer.ts';
import { formatBytes } from './disk-space.ts';
import { type Finding, fail, ok, warning } from './finding.ts';
import { readLimit } from './process-limits.ts';

/** What increases the need for locked memory. */
export interface LockedMemoryUse {
  /** A file with the previous master key exists. */
  readonly hasPreviousKey: boolean;
  /** A passphrase, service or token opens a master key, which is then encrypted in memory. */
  readonly hasPassphrase: boolean;
  /** A key signs responses. */
  readonly hasServiceKey?: boolean;
}

/**
 * Buffers locked simultaneously at startup, bytes; each takes 16 bytes more, in whole pages.
 * Measured with 4 KiB pages: 44 KiB, 52 with a previous key, 76 with a passphrase, 84 with both;
 * plus 4 for a response key.
 */
const ENCRYPTION_KEY = [16 * 1024, 32, 32];
const VAULT = [...ENCRYPTION_KEY, 1024];
const AUDIT_KEY = [64];
const LOADING = [32, 32];
const PREVIOUS_KEY = [32, 32];
const SERVICE_KEY = [64];
/** Typed text stays until the last prompt. */
const DIALOG = [1025];

const CANARY_BYTES = 16;
const PAGE_BYTES = 4096;

/** Enough for any number of sealed keys, opened one at a time, and for keys in files. Bytes. */
const AMPLE_BYTES = 64 * 1024;

const REMEDY =
  'Raise the limit of locked memory: `ulimit -l 65536` in the shell that starts the service (only root can exceed the hard limit, with a line ' +
  '`<user> - memlock 65536` in /etc/security/limits.conf and a new login), LimitMEMLOCK=64M in a systemd unit, `--ulimit memlock=67108864:67108864` for a container.';

const DEFAULT_USE: LockedMemoryUse = { hasPreviousKey: false, hasPassphrase: false };

/**
 * Whether key memory can be locked into RAM: checks the limit and really locks what a start needs.
 * @param isRequired false with SIGNING_MEMORY_LOCK=warn
 * @param lock locks buffers of these lengths (bytes) together; throws when it can't
 */
export function checkMemoryLock(
  isRequired: boolean,
  { hasPreviousKey, hasPassphrase, hasServiceKey }: LockedMemoryUse = DEFAULT_USE,
  proc = '/proc',
  lock: (lengths: readonly number[]) => void = lockTogether,
): Finding {
  const lengths = [
    ...VAULT,
    ...AUDIT_KEY,
    ...LOADING,
    ...(hasServiceKey === true ? SERVICE_KEY : []),
    ...(hasPassphrase ? [...ENCRYPTION_KEY, ...DIALOG] : []),
    ...(hasPreviousKey ? PREVIOUS_KEY : []),
  ];
  const needed = lengths.reduce((sum, length) => sum + toWholePages(length), 0);
  const limit = readLimit('Max locked memory', proc);
  try {
    lock(lengths);
  } catch {
    const limitNote = limit === undefined ? '' : `; the limit is ${formatBytes(limit)}`;
    const message = `memory for keys cannot be locked (the service needs ${formatBytes(needed)}${limitNote})`;
    return isRequired
      ? fail('memlock', message, REMEDY)
      : warning('memlock', `${message}: keys can be written to swap`, REMEDY);
  }
  if (limit === undefined) return ok('memlock', `${formatBytes(needed)} could be locked`);
  if (limit >= Math.max(needed, AMPLE_BYTES)) return ok('memlock', `${formatBytes(limit)} can be locked`);
  return warning(
    'memlock',
    `${formatBytes(needed)} could be locked now, but the limit is ${formatBytes(limit)}, which is low for a service under load`,
    REMEDY,
  );
}

function lockTogether([length, ...others]: readonly number[]): void {
  if (length !== undefined) withLockedBytes(length, () => lockTogether(others));
}

function toWholePages(length: number): number {
  return Math.ceil((length + CANARY_BYTES) / PAGE_BYTES) * PAGE_BYTES;
}
