import { withLockedBytes } from '../secure-memory/locked-buffer.ts';
import { byteText } from './byte-text.ts';
import { type Finding, fail, ok, warning } from './finding.ts';
import { readLimit } from './process-limits.ts';

/** Locked memory that the service needs, however many keys it holds: they lie encrypted in ordinary memory and are opened one at a time. Bytes. */
const NEEDED_BYTES = 64 * 1024;

/** What is locked to see that it works, bytes: less than the limit, of which the kernel counts whole pages. */
const TRIED_BYTES = 16 * 1024;

const REMEDY =
  'Raise the limit on locked memory: `ulimit -l 65536` in the shell that starts it, LimitMEMLOCK=64M in a systemd unit, ' +
  '`--ulimit memlock=67108864:67108864` for a container.';

/**
 * Whether memory for keys can be locked into RAM: the limit, and a lock that is really taken and given back.
 * @param isRequired false where the service goes on without (SIGNING_MEMORY_LOCK=warn)
 * @param lock locks so many bytes, and throws when it can't
 */
export function checkMemoryLock(
  isRequired: boolean,
  proc = '/proc',
  lock: (bytes: number) => void = (bytes) => withLockedBytes(bytes, () => undefined),
): Finding {
  const limit = readLimit('Max locked memory', proc);
  try {
    lock(TRIED_BYTES);
  } catch {
    const limitText = limit === undefined ? '' : ` (the limit is ${byteText(limit)})`;
    const message = `memory for keys can't be locked into RAM${limitText}`;
    return isRequired
      ? fail('memlock', message, REMEDY)
      : warning('memlock', `${message}: keys can be written to swap`, REMEDY);
  }
  if (limit === undefined) return ok('memlock', 'memory can be locked');
  if (limit >= NEEDED_BYTES) return ok('memlock', `${byteText(limit)} may be locked`);
  return warning(
    'memlock',
    `memory could be locked now, but the limit is ${byteText(limit)} and the service needs ${byteText(NEEDED_BYTES)}`,
    REMEDY,
  );
}
