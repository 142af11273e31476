import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { segmentNames } from '../../../audit-trail/segment-files.ts';
import { unreadable } from './input-error.ts';

/**
 * Absolute paths of the service's audit file, where it is there, and of the files beside it that bear the name of one rotated out of it, whatever they hold, so that
 * one that was spoilt is not passed over.
 * @throws OperatorError when the folder can't be read or none is there
 */
export async function listOwnFiles(auditFile: string): Promise<readonly string[]> {
  const folder = dirname(resolve(auditFile));
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable('folder of the audit file', folder, error);
  });
  const paths = segmentNames(basename(auditFile), names).map((name) => join(folder, name));
  if (paths.length > 0) return paths.toSorted();
  throw unreadable('audit file', auditFile, Object.assign(new Error('no such file'), { code: 'ENOENT' }));
}

/**
 * Whether a file beside the audit file has a name that neither the service nor logrotate gives
 * (`audit.jsonl.old`): another program may keep something of its own under it
 * (`audit.jsonl.offset`). Numbers and dates are logrotate's.
 */
export function hasNameByHand(auditFile: string, path: string): boolean {
  const prefix = `${basename(auditFile)}.`;
  return basename(path).startsWith(prefix) && !/^\d/.test(basename(path).slice(prefix.length));
}
