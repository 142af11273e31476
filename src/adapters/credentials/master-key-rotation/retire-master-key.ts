import { lstat, realpath, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { MasterKeyRetirement } from '../../../domain/model/master-key-rotation.ts';
import { syncFolder } from '../../files/folders.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import {
  type MasterKeyFiles,
  type MasterKeyPair,
  readMasterKeyPair,
  wipeMasterKeyPair,
} from '../master-key/master-key-pair.ts';
import { sourceNameOf } from '../master-key/stored-key-sources.ts';
import { countSealedKeys, type SealedKeyCounts } from '../validated-credentials.ts';
import { type RotationPaths, type RotationSubject, resolveRotationPaths, withRotationLocks } from './rotation-paths.ts';

/**
 * Temporary files of these files, left by processes killed before the rename. They hold sealed keys
 * or master keys.
 * @param files symbolic links resolved
 */
function leftoverPaths(files: readonly string[]): readonly string[] {
  return [...new Set(files)].map((file) => `${file}.tmp`);
}

/**
 * Finds leftovers of killed commands, without opening or locking; a running command's file is
 * found, too.
 * @returns existing, reachable paths
 */
export async function findLeftovers(credentialsFile: string, files: MasterKeyFiles): Promise<readonly string[]> {
  const targets = await Promise.all([credentialsFile, files.primary, files.previous].map(followLinks));
  const paths = leftoverPaths(targets);
  const found = await Promise.all(paths.map(pathExists));
  return paths.filter((_, index) => found[index]);
}

async function followLinks(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

/** Also true for a dangling link. */
async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Removes leftovers of killed commands, then the previous master key if nothing is sealed under it.
 * In this order, so that a failed command can be repeated.
 * @throws CredentialLoadError, KeyFileError, MemoryLockError before removing anything
 * @throws EditRefusedError that says what was removed
 */
export async function retireMasterKey({ credentialsFile, files }: RotationSubject): Promise<MasterKeyRetirement> {
  const paths = await resolveRotationPaths(credentialsFile, files);
  return withRotationLocks(paths, async () => {
    const { content } = await readCredentialsFile(credentialsFile);
    const pair = readMasterKeyPair(files);
    wipeMasterKeyPair(pair);
    assertNotSealed(pair, countSealedKeys(content));
    const leftovers = await removeLeftovers(paths);
    const { previous } = pair;
    if (previous !== undefined) await removePrevious(files.previous, leftovers);
    else if (leftovers.length === 0) throw nothingToRetire(files.previous);
    await makeDurable(previous === undefined ? leftovers : [...leftovers, files.previous]);
    if (previous === undefined) return { retired: null, leftovers };
    return {
      retired: {
        ...{ file: files.previous, id: previous.id, source: sourceNameOf(previous) },
        hasPassphrase: previous.kind === 'wrapped',
      },
      leftovers,
    };
  });
}

function assertNotSealed({ primary, previous }: MasterKeyPair, counts: SealedKeyCounts): void {
  if (previous === undefined || previous.id === primary.id) return;
  const accounts = counts.get(previous.id) ?? 0;
  if (accounts === 0) return;
  throw new EditRefusedError(
    `Accounts still sealed under the previous master key ${previous.id}: ${accounts}. Nothing was removed. ` +
      'Run `signing-service master-key rotate` first to finish the rotation.',
  );
}

function nothingToRetire(file: string): EditRefusedError {
  return new EditRefusedError(
    `There is no previous master key (${file}), and no temporary file of a killed command; nothing was removed.`,
  );
}

async function removeLeftovers({ credentials, primary, previous }: RotationPaths): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const file of leftoverPaths([credentials, primary, previous])) {
    try {
      await unlink(file);
      removed.push(file);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'ENOENT') continue;
      throw new EditRefusedError(
        `${file} cannot be removed (${code}); ${formatProgress(removed)}. ` +
          'If it is a folder, move it away: no command created it. Otherwise check the permissions of its folder.',
        { cause: error },
      );
    }
  }
  return removed;
}

async function removePrevious(file: string, removed: readonly string[]): Promise<void> {
  try {
    if ((await lstat(file)).isSymbolicLink()) {
      throw new EditRefusedError(
        `${file} is a symbolic link; ${formatProgress(removed)}. Remove it and its target where they are created.`,
      );
    }
    await unlink(file);
  } catch (error) {
    if (error instanceof EditRefusedError) throw error;
    throw new EditRefusedError(
      `${file} cannot be removed (${systemErrorCode(error)}); ${formatProgress(removed)}. ` +
        'If it is mounted, remove it at the source of the mount; otherwise check the permissions of its folder.',
      { cause: error },
    );
  }
}

function formatProgress(removed: readonly string[]): string {
  if (removed.length === 0) return 'nothing was removed';
  return `temporary files of killed commands (${removed.join(', ')}) were removed, the previous master key was not`;
}

async function makeDurable(removed: readonly string[]): Promise<void> {
  try {
    for (const folder of new Set(removed.map((file) => dirname(file)))) await syncFolder(folder);
  } catch (error) {
    throw new EditRefusedError(
      `${removed.join(', ')}: removed, but the disk did not confirm it (${systemErrorCode(error)}), so a power failure can restore it. Check the disk; ` +
        '`signing-service master-key status` shows the current state.',
      { cause: error },
    );
  }
}
