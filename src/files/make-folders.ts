import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing, one by one. `mkdirSync` with `recursive` would do, but in Node 20 it never returns where a file
 * system refuses a new folder with ENOENT, as /proc does.
 *
 * @param mode of each folder that is made, less the umask
 * @returns paths of the folders that were made, the outermost first
 * @throws the error of the operating system when one can't be made; those made before it are removed again
 */
export function makeFolders(folder: string, mode: number): readonly string[] {
  const made: string[] = [];
  try {
    for (const path of missingFolders(resolve(folder))) {
      if (makeWhereNone(path, mode)) made.push(path);
    }
    return made;
  } catch (error) {
    removeEmptyFolders(made);
    throw error;
  }
}

/** Removes folders that were made and not used, given as {@link makeFolders} returns them; one that holds something stays. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // An empty folder that stays behind does no harm, and the failure that led here is the one to report.
    }
  }
}

/** The outermost first. */
function missingFolders(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return [];
  return [...missingFolders(dirname(path)), path];
}

/** Whether this call made it, and not another process at the same moment. */
function makeWhereNone(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    throw error;
  }
}
