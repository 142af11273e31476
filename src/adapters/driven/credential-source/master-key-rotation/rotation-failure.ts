import { CredentialLoadError, EditRefusedError } from '../../../../domain/model/errors.ts';
import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { MemoryLockError } from '../../../../secure-memory/locked-buffer.ts';
import { isSystemError, systemErrorCode } from '../files/system-error-code.ts';
import { forgetStoredKey, readMasterKeyFile } from '../master-key/master-key-file.ts';
import type { RotationPlan } from './rotation-plan.ts';

/** What the system says where files are mounted read-only, one by one, or for another user. */
const NOT_WRITABLE = new Set(['EROFS', 'EBUSY', 'EACCES', 'EPERM']);

const ROTATE_ELSEWHERE =
  'Where the files are mounted, or belong to others, they can not be rotated: run this on copies of them, in a folder that this user may write to, ' +
  'then deploy: both master key files to every replica first, then the credentials file.';

const AGAIN = 'Run `signing-service master-key rotate` again to finish.';

/**
 * An error that ended a rotation, with how things are now: whatever happened, every account opens with the files as they are.
 * @param primaryFile where the primary master key is
 * @param targetId id of the key under which everything was to be sealed
 */
export function explainRotationFailure(
  error: unknown,
  plan: RotationPlan,
  primaryFile: string,
  targetId: string,
): unknown {
  if (!isExplained(error) && !isSystemError(error)) return error;
  const parts = [isExplained(error) ? error.message : systemErrorMessage(primaryFile, error)];
  if (isNotWritable(error)) parts.push(ROTATE_ELSEWHERE);
  parts.push(stateAfter(plan, primaryFile, targetId));
  return new EditRefusedError(parts.join(' '), { cause: error });
}

/** A failure of the operating system that no step of the work has put into words. */
export function systemErrorMessage(file: string, error: Error): string {
  return `A file at or beside ${file} could not be read or written (${systemErrorCode(error)}); check the disk and the permissions.`;
}

function stateAfter(plan: RotationPlan, primaryFile: string, targetId: string): string {
  if (plan === 'finish') return `The rotation that was begun is not finished; every account still opens. ${AGAIN}`;
  const id = idIn(primaryFile);
  if (id === undefined) return '`signing-service master-key status` shows how things are.';
  if (id !== targetId) return 'The master key is as it was, and so is the credentials file.';
  return `The new master key is in place, and the previous one still opens every account: nothing is lost. ${AGAIN}`;
}

function idIn(file: string): string | undefined {
  try {
    const stored = readMasterKeyFile(file);
    forgetStoredKey(stored);
    return stored.id;
  } catch {
    return undefined;
  }
}

function isNotWritable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NOT_WRITABLE.has(systemErrorCode(error)) || NOT_WRITABLE.has(systemErrorCode(error.cause));
}

function isExplained(error: unknown): error is Error {
  return [EditRefusedError, CredentialLoadError, KeyFileError, MemoryLockError].some((type) => error instanceof type);
}
