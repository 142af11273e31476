import { lstat, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../../domain/model/errors.ts';
import type { MasterKeyFact } from '../../../../ports/master-key-administration.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import type { StoredMasterKey } from '../master-key/master-key-file.ts';
import { forgetPair, type MasterKeyPair, readMasterKeyPair } from '../master-key/master-key-pair.ts';
import { countSealed, type SealedCounts } from '../sealed-counts.ts';
import type { RotationSubject } from './rotate-master-key.ts';
import { findRotationPlace, withRotationLocks } from './rotation-place.ts';

/**
 * Removes the previous master key when nothing in the credentials file is sealed under it, and what a killed rotation may have left beside it.
 * @throws CredentialLoadError, EditRefusedError, KeyFileError, MemoryLockError; nothing was removed then
 */
export async function retireMasterKey({ credentialsFile, files }: RotationSubject): Promise<MasterKeyFact> {
  const place = await findRotationPlace(credentialsFile, files);
  return withRotationLocks(place, async () => {
    const { content } = await readCredentialsFile(credentialsFile);
    const pair = readMasterKeyPair(files);
    forgetPair(pair);
    const previous = assertUnneeded(pair, countSealed(content), files.previous);
    await removeFile(files.previous);
    for (const file of [place.primary, place.previous]) await rm(`${file}.tmp`, { force: true });
    await syncFolder(dirname(place.previous));
    return { file: files.previous, id: previous.id, hasPassphrase: previous.kind === 'wrapped' };
  });
}

function assertUnneeded({ primary, previous }: MasterKeyPair, counts: SealedCounts, file: string): StoredMasterKey {
  if (previous === undefined) {
    throw new EditRefusedError(`There is no previous master key (${file}); nothing was removed.`);
  }
  const accounts = counts.get(previous.id) ?? 0;
  if (accounts === 0 || previous.id === primary.id) return previous;
  throw new EditRefusedError(
    `Accounts (${accounts}) are still sealed under the previous master key ${previous.id}; nothing was removed. ` +
      'Run `signing-service master-key rotate` first: it finishes the rotation.',
  );
}

async function removeFile(file: string): Promise<void> {
  if ((await lstat(file)).isSymbolicLink()) {
    throw new EditRefusedError(
      `${file} is a symbolic link; nothing was removed. Remove it, and the file that it leads to, where they are made.`,
    );
  }
  await rm(file).catch((error: unknown) => {
    throw new EditRefusedError(
      `${file} can't be removed (${systemErrorCode(error)}). Where it is mounted, remove it where the mount is made; else check the permissions of its folder.`,
      { cause: error },
    );
  });
}
