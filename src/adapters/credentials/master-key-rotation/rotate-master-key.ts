import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { MasterKeyRotation } from '../../../domain/model/master-key-rotation.ts';
import { withSecretFile } from '../../key-files/secret-file.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { assertUnchanged, formatCredentials } from '../editor/edited-credentials.ts';
import { replaceCredentialsFile, replaceSecretFile, type SecretContent } from '../editor/replace-credentials-file.ts';
import { MAX_MASTER_KEY_FILE_BYTES } from '../master-key/master-key-file.ts';
import {
  type MasterKeyFiles,
  type MasterKeyPair,
  readMasterKeyPair,
  wipeMasterKeyPair,
} from '../master-key/master-key-pair.ts';
import { type MasterKeyOpeners, sourceNameOf } from '../master-key/stored-key-sources.ts';
import { countSealedKeys } from '../validated-credentials.ts';
import { assertEqualKeys, type RotationProgress, resealAccounts } from './reseal-accounts.ts';
import { type NewProtection, prepareRotationKeys, type RotationKeys } from './rotation-keys.ts';
import { type RotationPaths, type RotationSubject, resolveRotationPaths, withRotationLocks } from './rotation-paths.ts';
import { explainRotationFailure, planRotation, type RotationPlan } from './rotation-state.ts';

/**
 * Creates a master key and reseals every account, or finishes an interrupted rotation. Every
 * intermediate state loads:
 *
 * 1. new credentials file to `.tmp`, read back, every key compared;
 * 2. old master key to the previous file;
 * 3. new master key to the master key file; old seals open through the previous file;
 * 4. new credentials file into place.
 *
 * @throws CredentialLoadError, EditRefusedError, KeyFileError, MemoryLockError; the message
 * describes the state
 */
export async function rotateMasterKey(
  subject: RotationSubject,
  protection: NewProtection,
  openers: MasterKeyOpeners,
  onProgress?: RotationProgress,
): Promise<MasterKeyRotation> {
  const { content } = await readCredentialsFile(subject.credentialsFile);
  const pair = readMasterKeyPair(subject.files);
  try {
    const plan = planRotation(pair, countSealedKeys(content));
    const paths = await resolveRotationPaths(subject.credentialsFile, subject.files);
    // Before locking: typing takes long.
    const keys = await prepareRotationKeys(subject.files, pair, plan, protection, openers);
    // No prompts from here on.
    openers.dialog.close();
    try {
      const accounts = await withRotationLocks(paths, () =>
        rotateUnderLocks(subject, paths, pair, plan, keys, onProgress),
      );
      return toResult(subject.files, pair, plan, keys, accounts);
    } catch (error) {
      const before = { primaryId: pair.primary.id, targetId: keys.target.id };
      throw await explainRotationFailure(error, subject, plan, before);
    } finally {
      keys.close();
    }
  } finally {
    wipeMasterKeyPair(pair);
  }
}

async function rotateUnderLocks(
  { credentialsFile, files }: RotationSubject,
  paths: RotationPaths,
  pair: MasterKeyPair,
  plan: RotationPlan,
  keys: RotationKeys,
  onProgress?: RotationProgress,
): Promise<number> {
  const reading = await readCredentialsFile(credentialsFile);
  assertPair(files, pair.primary.id, pair.previous?.id);
  const counts = countSealedKeys(reading.content);
  // Another process finished it while this one waited for a passphrase or the lock.
  if (plan === 'finish' && pair.previous !== undefined && !counts.has(pair.previous.id)) throw changedMeanwhile(files);
  planRotation(pair, counts);

  const input = { location: credentialsFile, ...reading, masterKeys: keys.ring, onProgress };
  const resealed = resealAccounts(input, keys.target);
  if (resealed.count === 0) {
    await replaceKeyFiles(paths, files, pair.primary.id, keys);
    return 0;
  }
  await replaceCredentialsFile(paths.credentials, formatCredentials(resealed.written), async () => {
    const { content } = await readCredentialsFile(`${paths.credentials}.tmp`);
    assertEqualKeys(input, content, keys.target);
    await assertUnchanged(credentialsFile, reading.revision);
    await replaceKeyFiles(paths, files, pair.primary.id, keys);
  });
  return resealed.count;
}

/** Steps 2 and 3, if there is a new key. */
async function replaceKeyFiles(
  paths: RotationPaths,
  files: MasterKeyFiles,
  oldId: string,
  { newContent, target }: RotationKeys,
): Promise<void> {
  if (newContent === undefined) return;
  const oldContent: SecretContent = (write) => withSecretFile(paths.primary, MAX_MASTER_KEY_FILE_BYTES, write);
  await replaceSecretFile(paths.previous, paths.primary, oldContent);
  assertPair(files, oldId, oldId);
  await replaceSecretFile(paths.primary, paths.primary, newContent);
  assertPair(files, target.id, oldId);
}

/** @throws EditRefusedError if another process changed the files */
function assertPair(files: MasterKeyFiles, primaryId: string, previousId: string | undefined): void {
  const pair = readMasterKeyPair(files);
  wipeMasterKeyPair(pair);
  if (pair.primary.id !== primaryId || pair.previous?.id !== previousId) throw changedMeanwhile(files);
}

function changedMeanwhile({ primary, previous }: MasterKeyFiles): EditRefusedError {
  return new EditRefusedError(
    `${primary} or ${previous}, or keys sealed under them, were changed by another process at the same time.`,
  );
}

function toResult(
  { primary, previous }: MasterKeyFiles,
  pair: MasterKeyPair,
  plan: RotationPlan,
  { target, targetSource }: RotationKeys,
  accounts: number,
): MasterKeyRotation {
  const old = plan === 'begin' ? pair.primary : (pair.previous ?? pair.primary);
  return {
    outcome: plan === 'begin' ? 'made' : 'finished',
    primary: {
      ...{ file: primary, id: target.id, source: targetSource },
      hasPassphrase: targetSource === 'passphrase',
    },
    previous: { file: previous, id: old.id, hasPassphrase: old.kind === 'wrapped', source: sourceNameOf(old) },
    accounts,
  };
}
