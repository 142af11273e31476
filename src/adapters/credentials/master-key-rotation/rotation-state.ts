import { CredentialLoadError, EditRefusedError } from '../../../domain/model/errors.ts';
import { isSystemError, systemErrorCode } from '../../files/system-error-code.ts';
import { KeyFileError } from '../../key-files/secret-file.ts';
import { MemoryLockError } from '../../vault/locked-buffer.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { readMasterKeyPair, wipeMasterKeyPair } from '../master-key/master-key-pair.ts';
import { countSealedKeys, type SealedKeyCounts } from '../validated-credentials.ts';
import type { RotationSubject } from './rotation-paths.ts';

const SHOWN_BY_STATUS = '`signing-service master-key status` shows the current state.';
const RETRY_ADVICE = 'Run `signing-service master-key rotate` again to finish.';
const RETIRE = 'When every replica has reloaded, run `signing-service master-key retire --yes`.';

/**
 * Describes the files' state after a failed rotation.
 * @param plan what was attempted
 * @param before ids of the initial primary key and of the target key
 */
async function describeState(
  subject: RotationSubject,
  plan: RotationPlan,
  { primaryId, targetId }: { readonly primaryId: string; readonly targetId: string },
): Promise<string> {
  const state = await readState(subject).catch(() => undefined);
  if (state === undefined) return SHOWN_BY_STATUS;
  const { primary, previous, counts } = state;
  if (plan === 'begin' && primary === primaryId) {
    return 'Neither the master key nor the credentials file was changed.';
  }
  if ([...counts.keys()].some((id) => id !== primary && id !== previous)) return SHOWN_BY_STATUS;
  if (previous === undefined || previous === primary)
    return `Master key ${primary} is now in place. ${SHOWN_BY_STATUS}`;
  if (!counts.has(previous))
    return `The rotation is complete: everything is sealed under master key ${primary}. ${RETIRE}`;
  if (plan === 'finish') return `The rotation is incomplete; nothing is lost. ${RETRY_ADVICE}`;
  const owner = primary === targetId ? 'The new master key' : `The new master key of another process, ${primary},`;
  return `${owner} is in place, and the previous one still opens every account: nothing is lost. ${RETRY_ADVICE}`;
}

async function readState({ credentialsFile, files }: RotationSubject) {
  const { content } = await readCredentialsFile(credentialsFile);
  const pair = readMasterKeyPair(files);
  wipeMasterKeyPair(pair);
  return { primary: pair.primary.id, previous: pair.previous?.id, counts: countSealedKeys(content) };
}

/** Create a master key and reseal everything, or finish resealing under the existing one. */
export type RotationPlan = 'begin' | 'finish';

interface MasterKeyNames {
  readonly primary: { readonly id: string; readonly file: string };
  readonly previous: { readonly id: string; readonly file: string } | undefined;
}

/**
 * Decides how to proceed from the files, wherever a rotation was interrupted:
 *
 * | previous file | accounts under the previous key | |
 * |---|---|---|
 * | none | | begin |
 * | has the primary key, too | | begin: interrupted before the new key was in place |
 * | has another key | some | finish |
 * | has another key | none | refuse: replicas may need that key until `retire` |
 *
 * @throws EditRefusedError in the last case, and if accounts are sealed under unknown keys
 */
export function planRotation({ primary, previous }: MasterKeyNames, counts: SealedKeyCounts): RotationPlan {
  for (const [id, accounts] of counts) {
    if (id === primary.id || id === previous?.id) continue;
    throw new EditRefusedError(
      `Accounts (${accounts}) are sealed under master key ${id}, which is neither in ${primary.file} nor in a previous master key file; nothing was changed. ` +
        'Restore that key, or remove these accounts; `signing-service master-key status` shows the available keys.',
    );
  }
  if (previous === undefined || previous.id === primary.id) return 'begin';
  if (counts.has(previous.id)) return 'finish';
  throw new EditRefusedError(
    `${previous.file} still has the previous master key ${previous.id}, under which nothing is sealed; nothing was changed. ` +
      'When every replica has reloaded, run `signing-service master-key retire --yes`. Then start a new rotation.',
  );
}

/** Errors of files mounted individually, read-only or for another user. */
const NOT_WRITABLE = new Set(['EROFS', 'EBUSY', 'EACCES', 'EPERM']);

const ROTATE_ELSEWHERE =
  'Files that are mounted or belong to others cannot be rotated: run this on copies in a folder that this user can write, ' +
  'then deploy to every replica, in this order: the previous master key file, the master key file, the credentials file.';

/** Adds the current state to an error of a rotation. Parameters as {@link describeState}. */
export async function explainRotationFailure(
  error: unknown,
  subject: RotationSubject,
  plan: RotationPlan,
  before: { readonly primaryId: string; readonly targetId: string },
): Promise<unknown> {
  if (!hasExplanation(error) && !isSystemError(error)) return error;
  const parts = [hasExplanation(error) ? error.message : systemErrorMessage(subject.files.primary, error)];
  if (isNotWritable(error)) parts.push(ROTATE_ELSEWHERE);
  parts.push(await describeState(subject, plan, before));
  return new EditRefusedError(parts.join(' '), { cause: error });
}

/** Message for a system error without an explanation. */
export function systemErrorMessage(file: string, error: Error): string {
  return `A file at or next to ${file} could not be read or written (${systemErrorCode(error)}). Check the disk and the permissions.`;
}

function isNotWritable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NOT_WRITABLE.has(systemErrorCode(error)) || NOT_WRITABLE.has(systemErrorCode(error.cause));
}

function hasExplanation(error: unknown): error is Error {
  return [EditRefusedError, CredentialLoadError, KeyFileError, MemoryLockError].some((type) => error instanceof type);
}
