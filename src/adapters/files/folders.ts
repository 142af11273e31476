import { closeSync, constants, promises as fs, fsyncSync, mkdirSync, openSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { adviseOnCreating, fileError } from './file-advice.ts';
import { systemErrorCode } from './system-error-code.ts';

/**
 * Creates a folder and its missing parents one by one. `mkdirSync` with `recursive` hangs in Node
 * 20 where a file system answers ENOENT, as /proc does.
 * @param mode of each new folder, less the umask
 * @returns the created folders, outermost first
 * @throws OperatorError, after removing the folders created so far
 */
export function createFolders(folder: string, mode: number): readonly string[] {
  const created: string[] = [];
  try {
    for (const path of missingFolders(resolve(folder))) {
      if (createIfMissing(path, mode)) created.push(path);
    }
    return created;
  } catch (error) {
    removeEmptyFolders(created);
    throw fileError(folder, adviseOnCreating(error), error);
  }
}

/** Removes empty folders, as {@link createFolders} returns them. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // An empty folder is harmless; the original failure is the one to report.
    }
  }
}

function missingFolders(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return [];
  return [...missingFolders(dirname(path)), path];
}

/** Whether this call created it rather than a concurrent process. */
function createIfMissing(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    throw error;
  }
}

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;

/**
 * Makes created, renamed and removed entries of a folder durable. No effect on network file systems
 * without this operation.
 * @throws the system's error
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, FLAGS);
  try {
    await handle.sync();
  } catch (error) {
    assertUnsupported(error);
  } finally {
    await handle.close();
  }
}

/** {@link syncFolder} by synchronous calls, for writing secrets from locked memory. */
export function syncFolderSync(folder: string): void {
  const descriptor = openSync(folder, FLAGS);
  try {
    fsyncSync(descriptor);
  } catch (error) {
    assertUnsupported(error);
  } finally {
    closeSync(descriptor);
  }
}

function assertUnsupported(error: unknown): void {
  if (systemErrorCode(error) !== 'EINVAL') throw error;
}
