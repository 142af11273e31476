import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { byteText } from './byte-text.ts';
import { type Finding, fail, ok, warning } from './finding.ts';

/** With less than this the next hours are at risk; a record has less than 1 KiB. Bytes. */
const SCARCE_BYTES = 1024 ** 3;
/** With less than this the next minutes are. Bytes. */
const TOO_FEW_BYTES = 16 * 1024 ** 2;

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
  const unwritable = [folder, ...(existsSync(path) ? [path] : [])].find((at) => !isWritable(at));
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
  if (free < TOO_FEW_BYTES) return fail(check, message, remedy);
  if (free < SCARCE_BYTES) return warning(check, message, remedy);
  return ok(check, message);
}

function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function existingFolder(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : existingFolder(dirname(folder));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
