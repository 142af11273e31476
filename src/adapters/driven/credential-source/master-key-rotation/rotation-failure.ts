import { CredentialLoadError, EditRefusedError } from '../../../../domain/model/errors.ts';
import { isSystemError, systemErrorCode } from '../../../../files/system-error-code.ts';
import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { MemoryLockError } from '../../../../secure-memory/locked-buffer.ts';
import type { RotationPlan } from './rotation-plan.ts';
import { describeState } from './rotation-state.ts';
import type { RotationSubject } from './rotation-subject.ts';

/** What the system says where files are mounted read-only, one by one, or for another user. */
const NOT_WRITABLE = new Set(['EROFS', 'EBUSY', 'EACCES', 'EPERM']);

const ROTATE_ELSEWHERE =
  'Where the files are mounted, or belong to others, they can not be rotated: run this on copies of them, in a folder that this user may write to, ' +
  'then deploy to every replica: the previous master key file, then the master key file, then the credentials file.';

/**
 * An error that ended a rotation, with how things are now, whoever made them so.
 * @param plan what was to be done
 * @param before ids of the primary key from which it set out, and of the key under which everything was to be sealed
 */
export async function explainRotationFailure(
  error: unknown,
  subject: RotationSubject,
  plan: RotationPlan,
  before: { readonly primaryId: string; readonly targetId: string },
): Promise<unknown> {
  if (!isExplained(error) && !isSystemError(error)) return error;
  const parts = [isExplained(error) ? error.message : systemErrorMessage(subject.files.primary, error)];
  if (isNotWritable(error)) parts.push(ROTATE_ELSEWHERE);
  parts.push(await describeState(subject, plan, before));
  return new EditRefusedError(parts.join(' '), { cause: error });
}

/** A failure of the operating system that no step of the work has put into words. */
export function systemErrorMessage(file: string, error: Error): string {
  return `A file at or beside ${file} could not be read or written (${systemErrorCode(error)}); check the disk and the permissions.`;
}

function isNotWritable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NOT_WRITABLE.has(systemErrorCode(error)) || NOT_WRITABLE.has(systemErrorCode(error.cause));
}

function isExplained(error: unknown): error is Error {
  return [EditRefusedError, CredentialLoadError, KeyFileError, MemoryLockError].some((type) => error instanceof type);
}
