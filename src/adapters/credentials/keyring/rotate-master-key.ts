import { realpath } from 'node:fs/promises';
import { inContext, OperatorError } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection, MasterKeyRotation } from '../../../domain/model/master-key-rotation.ts';
import { fileError } from '../../files/file-advice.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { isSystemError, systemErrorCode } from '../../files/system-error-code.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { assertUnchanged, formatCredentials } from '../editor/edited-credentials.ts';
import { replaceCredentialsFile, replaceSecretFile, type SecretContent } from '../editor/replace-credentials-file.ts';
import { countSealedKeys } from '../validated-credentials.ts';
import { MasterKey } from './master-key.ts';
import { type MasterKeyRing, openRing, type RingOpeners } from './master-keys.ts';
import { createRingLine, type NewKeyProtection } from './new-master-key.ts';
import type { PassphraseDialog } from './passphrase-dialog.ts';
import { assertEqualKeys, type RotationProgress, resealAccounts } from './reseal-accounts.ts';
import { assertSameRing, MAX_RING_KEYS, type RingLine, readRing, toKeyInfo, withKeyInFront } from './ring-file.ts';

/** The files that a rotation replaces. */
export interface RotatedFiles {
  /** Path of the credentials file. */
  readonly credentials: string;
  /** Path of the keyring. */
  readonly ring: string;
}

/** Protection of the new master key; `same`: as the first one of the ring. */
type WantedProtection = 'same' | 'new-passphrase' | MasterKeyProtection;

/**
 * Puts a new master key in front of the ring and seals every account under it. All accounts load
 * after each step, so an interrupted rotation needs no completion:
 *
 * 1. new credentials file to `.tmp`, read back, every key compared;
 * 2. the ring with the new key and all others into place, which still opens the old seals;
 * 3. new credentials file into place.
 *
 * @throws OperatorError
 */
export async function rotateMasterKey(
  files: RotatedFiles,
  wanted: WantedProtection,
  openers: RingOpeners & { readonly dialog: PassphraseDialog },
  onProgress?: RotationProgress,
): Promise<MasterKeyRotation> {
  const { content } = await readCredentialsFile(files.credentials);
  assertNotFull(files.ring);
  // Before locking: typing takes long.
  const counts = countSealedKeys(content);
  const ring = await openRing(files.ring, new Map(), (id, index) => index === 0 || counts.has(id), openers);
  const protection = await choose(wanted, ring.lines[0], openers.dialog);
  const target = MasterKey.generate(openers.vault);
  const line = await createRingLine(target, protection, openers.dialog, openers.wrappingKeys);
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
    const explained = isSystemError(error)
      ? fileError(
          files.ring,
          `it or a file beside it could not be used (${systemErrorCode(error)}); check the disk`,
          error,
        )
      : error;
    if (!NOT_WRITABLE.has(systemErrorCode(error))) throw explained;
    throw inContext(explained, (message) => `${message} ${REPLACE_ELSEWHERE}`);
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

async function choose(wanted: WantedProtection, first: RingLine, dialog: PassphraseDialog): Promise<NewKeyProtection> {
  if (wanted === 'new-passphrase') return { source: 'passphrase', passphrase: await dialog.choose() };
  if (wanted !== 'same') return wanted;
  return first.source === 'passphrase' ? { source: 'passphrase', passphrase: dialog.passphraseOf(first.id) } : first;
}

async function resealUnderLocks(
  files: RotatedFiles,
  paths: RotatedFiles,
  ring: MasterKeyRing,
  { target, line }: { readonly target: MasterKey; readonly line: SecretContent },
  onProgress?: RotationProgress,
): Promise<number> {
  const reading = await readCredentialsFile(files.credentials);
  assertSameRing(files.ring, ring.lines, readRing(files.ring));
  const input = { location: files.credentials, ...reading, masterKeys: ring, onProgress };
  const { written, count } = resealAccounts(input, target);
  await replaceCredentialsFile(paths.credentials, formatCredentials(written), async () => {
    const { content } = await readCredentialsFile(`${paths.credentials}.tmp`);
    assertEqualKeys(input, content, target);
    await assertUnchanged(files.credentials, reading.revision);
    await replaceSecretFile(paths.ring, withKeyInFront(paths.ring, ring.lines, line));
  });
  return count;
}
