import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, ok, warning } from './finding.ts';

/** Whether others of the same user can read this process's memory and the system may write it to a core dump; `unknown` where it doesn't tell. */
export type Dumpable = 'yes' | 'no' | 'unknown';

/**
 * Told from the owner of the process's files in proc(5): "ordinarily, the files inside each /proc/pid directory are owned by the effective user […]
 * the ownership is made root:root if the process's dumpable attribute is set to a value other than 1". For root the two look alike.
 *
 * @param effectiveUser numeric id, undefined on a system without
 */
export function readDumpable(proc = '/proc', effectiveUser: number | undefined = process.geteuid?.()): Dumpable {
  if (effectiveUser === undefined || effectiveUser === 0) return 'unknown';
  try {
    return statSync(join(proc, 'self/environ')).uid === effectiveUser ? 'yes' : 'no';
  } catch {
    return 'unknown';
  }
}

/** Whether other processes of the same user are kept from this one's memory. */
export function checkDumpable(proc = '/proc', effectiveUser: number | undefined = process.geteuid?.()): Finding {
  const dumpable = readDumpable(proc, effectiveUser);
  if (dumpable === 'no') {
    return ok('dumpable', "not dumpable: other processes of this user can't read this process's memory");
  }
  if (dumpable === 'yes') {
    return warning(
      'dumpable',
      "dumpable: other processes of this user can read this process's memory",
      "Run it with a node binary that its user can execute but not read: `chown root:root` and `chmod 0711` on a copy of node, started without capabilities. The image's is.",
    );
  }
  if (effectiveUser === 0) {
    return warning(
      'dumpable',
      "can't tell: the user is root, to whom all memory is open anyway",
      'Run the service, and this command, as a user of its own.',
    );
  }
  return warning('dumpable', "can't tell: this system doesn't say", 'Run the service on Linux.');
}
