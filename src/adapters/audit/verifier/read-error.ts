import { OperatorError } from '../../../domain/model/errors.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  EACCES: 'cannot be read by this user (EACCES); its owner can grant access',
  EISDIR: 'is a folder; give the files in it',
  EINVAL: 'is not a regular file',
  EMFILE: 'cannot be opened: the process has reached its limit on open files (EMFILE); raise `ulimit -n`',
};

/** The error for a file that cannot be opened or read. @param what kind of file: `audit file` */
export function toReadError(what: string, path: string, error: unknown): OperatorError {
  const code = systemErrorCode(error);
  const reason = REASONS[code] ?? `cannot be read (${code})`;
  return new OperatorError(`The ${what} ${printable(path)} ${reason}.`, { cause: error });
}

/** Whether {@link toReadError} reported a missing file. */
export function isMissing(error: unknown): boolean {
  return error instanceof OperatorError && systemErrorCode(error.cause) === 'ENOENT';
}

/** Whether {@link toReadError} reported a file that this user may not read. */
export function isForbidden(error: unknown): boolean {
  return error instanceof OperatorError && systemErrorCode(error.cause) === 'EACCES';
}
