import { withLockedBytes } from '../secure-memory/locked-buffer.ts';
import { byteText } from './byte-text.ts';
import { type Finding, fail, ok, warning } from './finding.ts';
import { readLimit } from './process-limits.ts';

/** What makes the service take more locked memory than the least. */
export interface LockedMemoryUse {
  /** There is a file with the previous master key. */
  readonly hasPreviousKey: boolean;
  /** A passphrase opens a master key: then the key is held encrypted, under a secret like that of the vault. */
  readonly hasPassphrase: boolean;
  /** There is a key that answers are signed with. */
  readonly hasServiceKey?: boolean;
}

/**
 * Lengths of the buffers that the service has locked at one time at least, bytes; each has 16 bytes more and whole pages of its own. Measured with pages
 * of 4 KiB, it starts within 44 KiB, 52 KiB with a previous key, 76 KiB with a passphrase, 84 KiB with both, and one page less does not do. A key for answers takes 4 KiB more.
 */
const ENCRYPTION_KEY = [16 * 1024, 32, 32];
const VAULT = [...ENCRYPTION_KEY, 1024];
const AUDIT_KEY = [64];
const LOADING = [32, 32];
const PREVIOUS_KEY = [32, 32];
const SERVICE_KEY = [64];
/** What was typed stays until the last question is over. */
const DIALOG = [1025];

const CANARY_BYTES = 16;
const PAGE_BYTES = 4096;

/** With this the service has room for any number of sealed keys, of which it opens one at a time, and for keys in files. Bytes. */
const AMPLE_BYTES = 64 * 1024;

const REMEDY =
  'Raise the limit on locked memory: `ulimit -l 65536` in the shell that starts it (beyond the hard limit only root can: raise that with a line ' +
  '`<user> - memlock 65536` in /etc/security/limits.conf, and log in anew), LimitMEMLOCK=64M in a systemd unit, `--ulimit memlock=67108864:67108864` for a container.';

const PLAIN: LockedMemoryUse = { hasPreviousKey: false, hasPassphrase: false };

/**
 * Whether memory for keys can be locked into RAM: the limit, and as many locks as the service takes to start, really taken and given back.
 * @param isRequired false where the service goes on without (SIGNING_MEMORY_LOCK=warn)
 * @param lock locks buffers of these lengths (bytes) at one time, and throws when it can't
 */
export function checkMemoryLock(
  isRequired: boolean,
  { hasPreviousKey, hasPassphrase, hasServiceKey }: LockedMemoryUse = PLAIN,
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
  const needed = lengths.reduce((sum, length) => sum + wholePages(length), 0);
  const limit = readLimit('Max locked memory', proc);
  try {
    lock(lengths);
  } catch {
    const limitText = limit === undefined ? '' : `; the limit is ${byteText(limit)}`;
    const message = `memory for keys can't be locked into RAM (the service takes ${byteText(needed)}${limitText})`;
    return isRequired
      ? fail('memlock', message, REMEDY)
      : warning('memlock', `${message}: keys can be written to swap`, REMEDY);
  }
  if (limit === undefined) return ok('memlock', `${byteText(needed)} could be locked`);
  if (limit >= Math.max(needed, AMPLE_BYTES)) return ok('memlock', `${byteText(limit)} may be locked`);
  return warning(
    'memlock',
    `${byteText(needed)} could be locked now, but the limit is ${byteText(limit)}, which is little for a service under load`,
    REMEDY,
  );
}

function lockTogether([length, ...others]: readonly number[]): void {
  if (length !== undefined) withLockedBytes(length, () => lockTogether(others));
}

function wholePages(length: number): number {
  return Math.ceil((length + CANARY_BYTES) / PAGE_BYTES) * PAGE_BYTES;
}
