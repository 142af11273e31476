import { OperatorError } from '../../domain/model/errors.ts';
import { systemErrorCode } from './system-error-code.ts';

const OTHER_USER =
  'this user may not read it; let the user of this program read the file and enter the folders above it';
const OTHER_FOLDER =
  'this user may not create a file in that folder; change the permissions of the folder, or choose another';

const READING: { readonly [code: string]: string } = {
  ENOENT: 'no such file; check the path',
  ENOTDIR: 'a part of this path is not a folder; check the path',
  ELOOP: 'its symbolic links form a loop; check the path',
  EISDIR: 'it is a folder; give the path of a file in it',
  EINVAL: 'it is not a regular file; put the content into a regular file',
  EFBIG: 'it is too large; check that it is the right file',
  EACCES: OTHER_USER,
  EPERM: OTHER_USER,
};

const CREATING: { readonly [code: string]: string } = {
  EEXIST: 'it already exists and was not changed; choose another file, or move it away first',
  ENOENT: 'its folder does not exist; create the folder first',
  ENOTDIR: 'a part of this path is not a folder; check the path',
  EACCES: OTHER_FOLDER,
  EPERM: OTHER_FOLDER,
  EROFS: 'that file system is read-only; choose another folder',
  ENOSPC: 'the disk is full; nothing was written; free some space and try again',
  EDQUOT: 'the disk quota is exceeded; nothing was written; free some space and try again',
};

/**
 * An OperatorError about a file.
 * @param problem with the remedy, a clause about "it", the file
 */
export function fileError(file: string, problem: string, cause?: unknown): OperatorError {
  return new OperatorError(`${file}: ${problem}.`, { cause });
}

/** Problem and remedy of a file that could not be read: a clause about "it". */
export function adviseOnReading(error: unknown): string {
  return advise(READING, error, 'it could not be read');
}

/** Problem and remedy of a file that could not be created or written: a clause about "it". */
export function adviseOnCreating(error: unknown): string {
  return advise(CREATING, error, 'it could not be written');
}

function advise(advice: { readonly [code: string]: string }, error: unknown, otherwise: string): string {
  const code = systemErrorCode(error);
  return advice[code] ?? `${otherwise} (${code}); check the path and the disk`;
}
