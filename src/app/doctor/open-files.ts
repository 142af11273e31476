import { type Finding, ok, warning } from '../../adapters/machine/finding.ts';
import { readLimit } from '../../adapters/machine/process-limits.ts';
import { MAX_CONNECTIONS } from '../listeners.ts';

/** Descriptors of the service besides callers' connections; it needs a few dozen. */
const OWN_FILES = 128;

const NEEDED = MAX_CONNECTIONS + OWN_FILES;

const REMEDY =
  `Raise the hard limit, up to which Node raises the limit automatically: \`ulimit -Hn ${NEEDED}\` as root in the shell that starts the service, LimitNOFILE=${NEEDED} in a systemd unit, ` +
  `\`--ulimit nofile=${NEEDED}:${NEEDED}\` for a container.`;

/**
 * Checks that the limit leaves descriptors for the audit file and reloads beside all connections.
 * @param proc mount point of the proc file system
 * @see https://man7.org/linux/man-pages/man5/proc_pid_limits.5.html
 */
export function checkOpenFiles(proc = '/proc'): Finding {
  const limit = readLimit('Max open files', proc);
  if (limit === undefined) return ok('open-files', 'unknown: this system reports no limits');
  const limitText = limit === Number.POSITIVE_INFINITY ? 'any number of' : String(limit);
  const message = `${limitText} files and connections can be open`;
  if (limit >= NEEDED) return ok('open-files', message);
  return warning(
    'open-files',
    `${message}; ${MAX_CONNECTIONS} connections and the service's files need ${NEEDED}`,
    REMEDY,
  );
}
