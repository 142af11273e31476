import { accessSync, constants, existsSync, lstatSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Finding, fail, ok, warning } from './finding.ts';

/** Warning level, bytes: an audit record takes less than 1 KiB. */
export const LOW_DISK_BYTES = 1024 ** 3;

/** Alarm level, bytes. */
export const CRITICAL_DISK_BYTES = 16 * 1024 ** 2;

/** Classifies free disk space. */
export function getDiskState(freeBytes: number): 'ok' | 'low' | 'critical' {
  if (freeBytes < CRITICAL_DISK_BYTES) return 'critical';
  return freeBytes < LOW_DISK_BYTES ? 'low' : 'ok';
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats bytes, rounded down: `8 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes === Number.POSITIVE_INFINITY) return 'any amount';
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${Math.floor(bytes / 1024 ** power)} ${UNITS[power]}`;
}

/**
 * Whether a file can be written and can grow, judged by its folder (existing or future) and free
 * space. Writes nothing.
 * @param freeBytes bytes available to this user in a folder's file system
 */
export function checkDiskSpace(
  check: string,
  file: string,
  freeBytes: (folder: string) => number = freeBytesIn,
): Finding {
  const path = resolve(file);
  const folder = existingFolder(dirname(path));
  if (!isFolder(folder)) {
    return fail(check, `${folder} is not a folder`, 'Remove that file or broken link, or set another path.');
  }
  const unwritable = isAllowed(folder, constants.W_OK | constants.X_OK)
    ? [path].find((at) => existsSync(at) && !isAllowed(at, constants.W_OK))
    : folder;
  if (unwritable !== undefined) {
    return fail(
      check,
      `this user cannot write to ${unwritable}`,
      `Make it writable for the user of the service, or set another file; if it is mounted read-only, mount it writable.`,
    );
  }
  const free = freeBytes(folder);
  const message = `${formatBytes(free)} free in ${folder}`;
  const remedy = 'Free some space, or move the file to another disk: requests that cannot be recorded are not signed.';
  const state = getDiskState(free);
  if (state === 'ok') return ok(check, message);
  return state === 'low' ? warning(check, message, remedy) : fail(check, message, remedy);
}

function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The nearest existing ancestor. A dangling link counts: it blocks mkdir. */
function existingFolder(folder: string): string {
  return pathExists(folder) || folder === dirname(folder) ? folder : existingFolder(dirname(folder));
}

function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether the master key is apart from what it seals: one backup of both opens every key. */
export function checkSeparateFolders(masterKeyFile: string, credentialsFile: string): Finding {
  const folder = resolveFolder(masterKeyFile);
  if (folder !== resolveFolder(credentialsFile))
    return ok('kept-apart', 'master key and credentials file are in different folders');
  return warning(
    'kept-apart',
    `master key and credentials file are both in ${folder}: a copy of that folder is enough to decrypt every key`,
    'Keep the master key elsewhere and out of backups of the credentials file: set SIGNING_MASTER_KEY_FILE, or use a mounted secret.',
  );
}

/** Links to files count by their own folder, links to folders by their target. */
function resolveFolder(file: string): string {
  const folder = dirname(resolve(file));
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
