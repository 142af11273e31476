import { lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../../domain/model/errors.ts';
import type { MasterKeyRetirement } from '../../../../domain/model/master-key-rotation.ts';
import { syncFolder } from '../../../../files/sync-folder.ts';
import { systemErrorCode } from '../../../../files/system-error-code.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { forgetPair, type MasterKeyPair, readMasterKeyPair } from '../master-key/master-key-pair.ts';
import { countSealed, type SealedCounts } from '../sealed-counts.ts';
import { leftoverPaths } from './rotation-leftovers.ts';
import { findRotationPlace, type RotationPlace, withRotationLocks } from './rotation-place.ts';
import type { RotationSubject } from './rotation-subject.ts';

/**
 * Removes what killed commands left beside the files, and then the previous master key, when nothing in the credentials file is sealed under it. The
 * leftovers go first: while the previous key stands, this command can be run again for what is still there.
 * @throws CredentialLoadError, KeyFileError, MemoryLockError; nothing was removed then
 * @throws EditRefusedError whose message says what was removed and what was not
 */
export async function retireMasterKey({ credentialsFile, files }: RotationSubject): Promise<MasterKeyRetirement> {
  const place = await findRotationPlace(credentialsFile, files);
  return withRotationLocks(place, async () => {
    const { content } = await readCredentialsFile(credentialsFile);
    const pair = readMasterKeyPair(files);
    forgetPair(pair);
    assertNotSealed(pair, countSealed(content));
    const leftovers = await removeLeftovers(place);
    const { previous } = pair;
    if (previous !== undefined) await removePrevious(files.previous, leftovers);
    else if (leftovers.length === 0) throw nothingThere(files.previous);
    await makeDurable(previous === undefined ? leftovers : [...leftovers, files.previous]);
    if (previous === undefined) return { retired: null, leftovers };
    return {
      retired: { file: files.previous, id: previous.id, hasPassphrase: previous.kind === 'wrapped' },
      leftovers,
    };
  });
}

function assertNotSealed({ primary, previous }: MasterKeyPair, counts: SealedCounts): void {
  if (previous === undefined || previous.id === primary.id) return;
  const accounts = counts.get(previous.id) ?? 0;
  if (accounts === 0) return;
  throw new EditRefusedError(
    `Accounts (${accounts}) are still sealed under the previous master key ${previous.id}; nothing was removed. ` +
      'Run `signing-service master-key rotate` first: it finishes the rotation.',
  );
}

function nothingThere(file: string): EditRefusedError {
  return new EditRefusedError(
    `There is no previous master key (${file}), and nothing that a killed command left; nothing was removed.`,
  );
}

async function removeLeftovers({ credentials, primary, previous }: RotationPlace): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const file of leftoverPaths([credentials, primary, previous])) {
    try {
      await unlink(file);
      removed.push(file);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'ENOENT') continue;
      throw new EditRefusedError(
        `${file} can't be removed (${code}); ${soFar(removed)}. ` +
          'If it is a folder, no command left it: move it away. Else check the permissions of the folder that it is in.',
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
        `${file} is a symbolic link; ${soFar(removed)}. Remove it, and the file that it leads to, where they are made.`,
      );
    }
    await unlink(file);
  } catch (error) {
    if (error instanceof EditRefusedError) throw error;
    throw new EditRefusedError(
      `${file} can't be removed (${systemErrorCode(error)}); ${soFar(removed)}. ` +
        'Where it is mounted, remove it where the mount is made; else check the permissions of its folder.',
      { cause: error },
    );
  }
}

function soFar(removed: readonly string[]): string {
  if (removed.length === 0) return 'nothing was removed';
  return `what killed commands left (${removed.join(', ')}) was removed, the previous master key was not`;
}

async function makeDurable(removed: readonly string[]): Promise<void> {
  try {
    for (const folder of new Set(removed.map((file) => dirname(file)))) await syncFolder(folder);
  } catch (error) {
    throw new EditRefusedError(
      `${removed.join(', ')}: removed, but the disk did not confirm it (${systemErrorCode(error)}), so a power failure may bring it back. Check the disk; ` +
        '`signing-service master-key status` shows what is there.',
      { cause: error },
    );
  }
}
