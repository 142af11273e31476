import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { byteText } from './byte-text.ts';
import { diskStateOf } from './disk-space.ts';
import { type Finding, fail, ok, warning } from './finding.ts';

/**
 * Whether a file can be written and can grow: its folder, or the one in which that would be made, is writable and its disk has room.
 * It writes nothing.
 * @param freeBytes how many bytes this user may still write in a folder's file system
 */
export function checkRoomForFile(
  check: string,
  file: string,
  freeBytes: (folder: string) => number = freeBytesIn,
): Finding {
  const path = resolve(file);
  const folder = existingFolder(dirname(path));
  if (!isFolder(folder)) {
    return fail(
      check,
      `${folder} is no folder`,
      'Remove that file, or the link to nothing that it is, or set another path.',
    );
  }
  const unwritable = isAllowed(folder, constants.W_OK | constants.X_OK)
    ? [path].find((at) => existsSync(at) && !isAllowed(at, constants.W_OK))
    : folder;
  if (unwritable !== undefined) {
    return fail(
      check,
      `this user can't write ${unwritable}`,
      `Let the service's user write it, or set another file; where it is mounted read-only, mount it writable.`,
    );
  }
  const free = freeBytes(folder);
  const message = `${byteText(free)} free in ${folder}`;
  const remedy = 'Make room, or move the file to another disk: nothing is signed that can not be recorded.';
  const state = diskStateOf(free);
  if (state === 'ok') return ok(check, message);
  return state === 'low' ? warning(check, message, remedy) : fail(check, message, remedy);
}

function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The lowest part of a path at which anything stands, a link to nothing included: that stops the making of folders, too. */
function existingFolder(folder: string): string {
  return isThere(folder) || folder === dirname(folder) ? folder : existingFolder(dirname(folder));
}

function isThere(path: string): boolean {
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
