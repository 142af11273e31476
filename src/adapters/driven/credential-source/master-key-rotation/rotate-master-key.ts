import { EditRefusedError } from '../../../../domain/model/errors.ts';
import type { MasterKeyRotation } from '../../../../domain/model/master-key-rotation.ts';
import { withSecretFile } from '../../../../secure-memory/secret-file.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { replaceSecretFile, type SecretContent } from '../files/replace-secret-file.ts';
import { MAX_MASTER_KEY_FILE_BYTES } from '../master-key/master-key-file.ts';
import {
  forgetPair,
  type MasterKeyFiles,
  type MasterKeyPair,
  readMasterKeyPair,
} from '../master-key/master-key-pair.ts';
import type { PassphraseDialog } from '../master-key/passphrase-dialog.ts';
import { countSealed } from '../sealed-counts.ts';
import { assertUnchanged, credentialsText } from '../write-credentials.ts';
import { assertSameKeys, type RotationProgress, resealAccounts } from './reseal-accounts.ts';
import { explainRotationFailure } from './rotation-failure.ts';
import { prepareRotationKeys, type RotationKeys } from './rotation-keys.ts';
import { findRotationPlace, type RotationPlace, withRotationLocks } from './rotation-place.ts';
import { planRotation, type RotationPlan } from './rotation-plan.ts';
import type { RotationSubject } from './rotation-subject.ts';

/**
 * Makes a new master key and seals every account under it, or finishes what an interrupted rotation left. The order of writing is what keeps every moment whole:
 *
 * 1. the new credentials file, to one side (`.tmp`), read back, every key in it compared with the one before;
 * 2. the old master key, to the previous file: nothing needs it there yet;
 * 3. the new master key, to the master key file: what is sealed under the old one opens through the previous file;
 * 4. the new credentials file, into its place.
 *
 * Each step is one rename of a file that is on disk; whatever is left of a killed run in a `.tmp` file was never in use and is made anew.
 *
 * @throws CredentialLoadError, EditRefusedError, KeyFileError, MemoryLockError; the message says how things are then
 */
export async function rotateMasterKey(
  subject: RotationSubject,
  newPassphrase: boolean,
  dialog: PassphraseDialog,
  onProgress?: RotationProgress,
): Promise<MasterKeyRotation> {
  const { content } = await readCredentialsFile(subject.credentialsFile);
  const pair = readMasterKeyPair(subject.files);
  try {
    const plan = planRotation(pair, countSealed(content));
    const place = await findRotationPlace(subject.credentialsFile, subject.files);
    // Before the lock is taken: a person may need long to type.
    const keys = await prepareRotationKeys(subject.files, pair, plan, newPassphrase, dialog);
    // Nobody is asked from here on: signals and the terminal are as usual.
    dialog.close();
    try {
      const accounts = await withRotationLocks(place, () =>
        rotateUnderLocks(subject, place, pair, plan, keys, onProgress),
      );
      return resultOf(subject.files, pair, plan, keys, accounts);
    } catch (error) {
      const before = { primaryId: pair.primary.id, targetId: keys.target.id };
      throw await explainRotationFailure(error, subject, plan, before);
    } finally {
      keys.close();
    }
  } finally {
    forgetPair(pair);
  }
}

async function rotateUnderLocks(
  { credentialsFile, files }: RotationSubject,
  place: RotationPlace,
  pair: MasterKeyPair,
  plan: RotationPlan,
  keys: RotationKeys,
  onProgress?: RotationProgress,
): Promise<number> {
  const reading = await readCredentialsFile(credentialsFile);
  assertPair(files, pair.primary.id, pair.previous?.id);
  const counts = countSealed(reading.content);
  // What was to be finished was finished by another process while this one waited, for a passphrase or for the lock.
  if (plan === 'finish' && pair.previous !== undefined && !counts.has(pair.previous.id)) throw changedMeanwhile(files);
  planRotation(pair, counts);

  const input = { location: credentialsFile, ...reading, masterKeys: keys.ring, onProgress };
  const resealed = resealAccounts(input, keys.target);
  if (resealed.count === 0) {
    await putKeysInPlace(place, files, pair.primary.id, keys);
    return 0;
  }
  await replaceFile(place.credentials, credentialsText(resealed.written), async () => {
    const { content } = await readCredentialsFile(`${place.credentials}.tmp`);
    assertSameKeys(input, content, keys.target);
    await assertUnchanged(credentialsFile, reading.revision);
    await putKeysInPlace(place, files, pair.primary.id, keys);
  });
  return resealed.count;
}

/** Steps 2 and 3, where a new key was made. */
async function putKeysInPlace(
  place: RotationPlace,
  files: MasterKeyFiles,
  oldId: string,
  { newContent, target }: RotationKeys,
): Promise<void> {
  if (newContent === undefined) return;
  const oldContent: SecretContent = (write) => withSecretFile(place.primary, MAX_MASTER_KEY_FILE_BYTES, write);
  await replaceSecretFile(place.previous, place.primary, oldContent);
  assertPair(files, oldId, oldId);
  await replaceSecretFile(place.primary, place.primary, newContent);
  assertPair(files, target.id, oldId);
}

/** @throws EditRefusedError when the files hold other keys than these: somebody else writes them */
function assertPair(files: MasterKeyFiles, primaryId: string, previousId: string | undefined): void {
  const pair = readMasterKeyPair(files);
  forgetPair(pair);
  if (pair.primary.id !== primaryId || pair.previous?.id !== previousId) throw changedMeanwhile(files);
}

function changedMeanwhile({ primary, previous }: MasterKeyFiles): EditRefusedError {
  return new EditRefusedError(
    `${primary} or ${previous}, or what is sealed under them, was changed by another process at the same moment.`,
  );
}

function resultOf(
  { primary, previous }: MasterKeyFiles,
  pair: MasterKeyPair,
  plan: RotationPlan,
  { target, targetHasPassphrase }: RotationKeys,
  accounts: number,
): MasterKeyRotation {
  const old = plan === 'begin' ? pair.primary : (pair.previous ?? pair.primary);
  return {
    outcome: plan === 'begin' ? 'made' : 'finished',
    primary: { file: primary, id: target.id, hasPassphrase: targetHasPassphrase },
    previous: { file: previous, id: old.id, hasPassphrase: old.kind === 'wrapped' },
    accounts,
  };
}
