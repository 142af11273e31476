import { realpath } from 'node:fs/promises';
import { inContext, OperatorError } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection, MasterKeyRotation } from '../../../domain/model/master-key-rotation.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { assertUnchanged, readCredentialsFile, replaceCredentialsFile } from '../credentials-file.ts';
import { countSealedKeys } from '../validated-credentials.ts';
import { type OpenedRing, openRing, type RingOpeners } from './keyring.ts';
import { MasterKey } from './master-key.ts';
import { createRingLine, type KeyProtectors } from './new-master-key.ts';
import { type RotationProgress, resealAccounts } from './reseal-accounts.ts';
import { assertSameRing, MAX_RING_KEYS, putKeyInFront, type RingLineText, readRing, toKeyInfo } from './ring-file.ts';

/** The files that a rotation replaces. */
export interface RotatedFiles {
  /** Path of the credentials file. */
  readonly credentials: string;
  /** Path of the keyring. */
  readonly ring: string;
}

/**
 * Puts a new master key in front of the ring and seals every account under it. All accounts load
 * after each step, so an interrupted rotation needs no completion:
 *
 * 1. every key resealed and compared, the new credentials file to `.tmp` and read back;
 * 2. the ring with the new key and all others into place, which still opens the old seals;
 * 3. new credentials file into place.
 *
 * @param wanted protection of the new key; null: that of the first one
 * @throws OperatorError
 */
export async function rotateMasterKey(
  files: RotatedFiles,
  wanted: MasterKeyProtection | null,
  openers: RingOpeners & KeyProtectors,
  onProgress?: RotationProgress,
): Promise<MasterKeyRotation> {
  const { content } = await readCredentialsFile(files.credentials);
  assertNotFull(files.ring);
  // Before locking: typing takes long.
  const counts = countSealedKeys(content);
  const ring = await openRing(
    files.ring,
    new Map(),
    (id, index) => counts.has(id) || (index === 0 && wanted === null),
    openers,
  );
  const protection = wanted ?? ring.lines[0];
  const target = MasterKey.generate(openers.vault);
  const line = await createRingLine(target, protection, openers);
  // No prompts from here on.
  openers.dialog.close();
  const accounts = await withRotationLocks(files, (paths) =>
    resealUnderLocks(files, paths, ring, { target, line }, onProgress),
  );
  return {
    file: files.ring,
    primary: toKeyInfo({ id: target.id, source: protection.source }),
    previous: toKeyInfo(ring.lines[0]),
    accounts,
  };
}

/**
 * Runs `action` under locks on both files, whose paths have no symbolic links, so that links are
 * preserved.
 * @throws OperatorError, and other errors of `action`
 */
export async function withRotationLocks<Result>(
  files: RotatedFiles,
  action: (paths: RotatedFiles) => Promise<Result>,
): Promise<Result> {
  try {
    const paths = { credentials: await realpath(files.credentials), ring: await realpath(files.ring) };
    return await withFileLock(paths.credentials, () => withFileLock(paths.ring, () => action(paths)));
  } catch (error) {
    if (!NOT_WRITABLE.has(systemErrorCode(error))) throw error;
    throw inContext(error, (message) => `${message} ${REPLACE_ELSEWHERE}`);
  }
}

/** Codes of files that are mounted singly, read-only or of another user. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(['EROFS', 'EBUSY', 'EACCES', 'EPERM']);

const REPLACE_ELSEWHERE =
  'Files that are mounted singly or belong to others cannot be replaced: run this on copies in a folder that this user can write, ' +
  'then deploy the master key file first and the credentials file after it.';

function assertNotFull(file: string): void {
  if (readRing(file).length < MAX_RING_KEYS) return;
  throw new OperatorError(
    `${file} has ${MAX_RING_KEYS} master keys, the most that it can have; nothing was changed. Run \`signing-service master-key retire --yes\`. ` +
      'If that is refused, remove lines of keys without accounts; `signing-service master-key status` lists the keys in the order of their lines.',
  );
}

async function resealUnderLocks(
  files: RotatedFiles,
  paths: RotatedFiles,
  ring: OpenedRing,
  { target, line }: { readonly target: MasterKey; readonly line: RingLineText },
  onProgress?: RotationProgress,
): Promise<number> {
  const reading = await readCredentialsFile(files.credentials);
  assertSameRing(files.ring, ring.lines, readRing(files.ring));
  const input = { location: files.credentials, ...reading, keyFor: (id: string) => ring.keyFor(id), onProgress };
  const { written, count } = resealAccounts(input, target);
  await replaceCredentialsFile(paths.credentials, written, async () => {
    await assertUnchanged(files.credentials, reading.revision);
    await putKeyInFront(paths.ring, ring.lines, target.id, line);
  });
  return count;
}
