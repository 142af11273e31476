import { accessSync, constants, existsSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { formatBytes } from '../../domain/model/text/wording.ts';
import { fail, type Outcome, warning } from './outcome.ts';

/** Warning level, bytes: an audit record takes less than 1 KiB. */
export const LOW_DISK_BYTES = 1024 ** 3;

/** Alarm level, bytes. */
export const CRITICAL_DISK_BYTES = 16 * 1024 ** 2;

/** Classifies free disk space. */
export function getDiskState(freeBytes: number): 'ok' | 'low' | 'critical' {
  if (freeBytes < CRITICAL_DISK_BYTES) return 'critical';
  return freeBytes < LOW_DISK_BYTES ? 'low' : 'ok';
}

/**
 * Whether a file can be written and can grow, judged by its folder (existing or future) and free
 * space. Writes nothing.
 * @param freeBytes bytes available to this user in a folder's file system
 */
export function checkDiskSpace(file: string, freeBytes: (folder: string) => number = freeBytesIn): Outcome {
  const path = resolve(file);
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) {
    return fail(`${folder} is not a folder`, 'Remove that file, or set another path.');
  }
  const canWrite = canAccess(folder, constants.W_OK | constants.X_OK);
  if (!canWrite || (existsSync(path) && !canAccess(path, constants.W_OK))) {
    return fail(
      `this user cannot write to ${canWrite ? path : folder}`,
      'Make it writable for the user of the service, or set another file; if it is mounted read-only, mount it writable.',
    );
  }
  const free = freeBytes(folder);
  const message = `${formatBytes(free)} free in ${folder}`;
  const state = getDiskState(free);
  if (state === 'ok') return message;
  const remedy = 'Free some space, or move the file to another disk: requests that cannot be recorded are not signed.';
  return { state: state === 'low' ? 'warning' : 'fail', message, remedy };
}

function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether this user has access. @param mode constants of access(2) */
export function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether the master key is apart from what it seals: one backup of both opens every key. */
export function checkSeparateFolders(masterKeyFile: string, credentialsFile: string): Outcome {
  const folder = resolveFolder(masterKeyFile);
  if (folder !== resolveFolder(credentialsFile)) return 'master key and credentials file are in different folders';
  return warning(
    `master key and credentials file are both in ${folder}: a copy of that folder is enough to decrypt every key`,
    'Keep the master key elsewhere and out of backups of the credentials file: set SIGNING_MASTER_KEY_FILE, or use a mounted secret.',
  );
}

/** Links to files count by their own folder, links to folders by their target. */
function resolveFolder(file: string): string {
  const folder = dirname(resolve(file));
  return existsSync(folder) ? realpathSync(folder) : folder;
}
