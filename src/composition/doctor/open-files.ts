import { MAX_CONNECTIONS } from '../../adapters/driving/http/server.ts';
import { type Finding, ok, warning } from '../../machine/finding.ts';
import { readLimit } from '../../machine/process-limits.ts';

/** Room for what the service has open besides connections of callers: libraries, event loop and watches, the audit file and its like, Redis, files that a reload reads. It has a few dozen open. */
const OWN_FILES = 128;

const NEEDED = MAX_CONNECTIONS + OWN_FILES;

const REMEDY =
  `Raise the hard limit, up to which Node raises the limit by itself: \`ulimit -Hn ${NEEDED}\` as root in the shell that starts it, LimitNOFILE=${NEEDED} in a systemd unit, ` +
  `\`--ulimit nofile=${NEEDED}:${NEEDED}\` for a container.`;

/**
 * Whether as many connections as the service takes leave it files for its own needs: beyond the limit the system refuses them, and the audit file and reloads as well, and the service can count nothing of it.
 * @param proc where the proc file system is
 * @see https://man7.org/linux/man-pages/man5/proc_pid_limits.5.html
 */
export function checkOpenFiles(proc = '/proc'): Finding {
  const limit = readLimit('Max open files', proc);
  if (limit === undefined) return ok('open-files', "can't tell: this system shows no limits");
  const limitText = limit === Number.POSITIVE_INFINITY ? 'any number of' : String(limit);
  const message = `${limitText} files and connections may be open`;
  if (limit >= NEEDED) return ok('open-files', message);
  return warning(
    'open-files',
    `${message}; ${MAX_CONNECTIONS} connections and the service's own files take ${NEEDED}`,
    REMEDY,
  );
}
