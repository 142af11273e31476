import { lstat, realpath } from 'node:fs/promises';
import type { MasterKeyFiles } from '../master-key/master-key-pair.ts';

/**
 * Where changes of these files are written first. The one beside the credentials file holds sealed keys, the other two hold master keys; whoever is
 * killed before the rename into place leaves them.
 * @param files paths of the files themselves, symbolic links followed
 */
export function leftoverPaths(files: readonly string[]): readonly string[] {
  return [...new Set(files)].map((file) => `${file}.tmp`);
}

/**
 * What killed commands left beside the credentials file and the two master key files, whether these are there or not. Nothing is opened or locked, so the
 * file that a command writes at this moment is found, too.
 * @returns paths of whatever stands there; what this user can't reach is not found
 */
export async function findLeftovers(credentialsFile: string, files: MasterKeyFiles): Promise<readonly string[]> {
  const targets = await Promise.all([credentialsFile, files.primary, files.previous].map(followLinks));
  const paths = leftoverPaths(targets);
  const found = await Promise.all(paths.map(isThere));
  return paths.filter((_, index) => found[index]);
}

async function followLinks(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

/** A link to nothing is there. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
