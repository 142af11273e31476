import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { systemErrorCode } from '../../../files/system-error-code.ts';

const DENIALS: readonly string[] = ['EACCES', 'EPERM'];

/** Whether an error of the operating system's is a lack of permission. */
export function isPermissionDenied(error: unknown): boolean {
  return DENIALS.includes(systemErrorCode(error));
}

/**
 * Explains why this process may not read a file: which path denies it, to which user, and what to
 * do.
 * @param code the operating system's error code, EACCES or EPERM
 * @returns a clause whose subject is the file: `can't be read: …`
 */
export function permissionDeniedText(file: string, code: string): string {
  const folder = blockingFolder(resolve(file));
  const place = folder === null ? 'the file' : `the folder ${folder}`;
  const grant = folder === null ? 'read the file' : 'enter that folder and read the file';
  return (
    `can't be read: permission denied (${code}) on ${place} for ${currentUserText()}; ` +
    `let this user ${grant} (chown, chgrp, chmod), or run this as the user that may`
  );
}

/**
 * The folder above `path` that this process may not search; null where the path itself can be
 * reached.
 */
function blockingFolder(path: string): string | null {
  const folder = dirname(path);
  if (folder === path || !isDenied(path)) return null;
  return isDenied(folder) ? blockingFolder(folder) : folder;
}

function isDenied(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return isPermissionDenied(error);
  }
}

/**
 * The effective user of this process: `user signing (uid 999)`; without a name where the system
 * knows none.
 */
function currentUserText(): string {
  const uid = process.geteuid?.();
  try {
    const found = userInfo();
    return found.uid === uid ? `user ${found.username} (uid ${uid})` : `uid ${uid}`;
  } catch {
    // Containers run users that /etc/passwd does not have.
    return uid === undefined ? 'this user' : `uid ${uid}`;
  }
}
