import { UnsuitableFileError } from '../../files/open-regular-file.ts';
import { isSystemError, systemErrorCode } from '../../files/system-error-code.ts';

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  EACCES: 'cannot be read by this user (EACCES); its owner can grant access',
  EISDIR: 'is a folder; give the path of a file',
  EINVAL: 'is not a regular file',
  EMFILE: 'cannot be opened: the process has reached its limit on open files (EMFILE); raise `ulimit -n`',
};

/**
 * Why a file cannot be opened or read: a predicate to its name, without full stop.
 * @throws the error itself if it is a bug
 */
export function formatReadError(error: unknown): string {
  if (!isSystemError(error) && !(error instanceof UnsuitableFileError)) throw error;
  const code = systemErrorCode(error);
  return REASONS[code] ?? `cannot be read (${code})`;
}
