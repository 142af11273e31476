import { OperatorError } from '../../../domain/model/errors.ts';
import { shownPath } from './shown-path.ts';

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'is not there; check the path',
  ENOTDIR: 'is not there; check the path',
  EACCES: 'can not be read by this user (EACCES); its owner can give the permission',
  EISDIR: 'is a folder; name the files in it',
  EMFILE: 'could not be opened: this process may open no more files (EMFILE); raise `ulimit -n`',
};

/** @param what names the kind of file, for the beginning of the message: `audit file` */
export function unreadable(what: string, path: string, error: unknown): OperatorError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const reason = REASONS[code] ?? `can not be read (${code})`;
  return new OperatorError(`The ${what} ${shownPath(path)} ${reason}.`, { cause: error });
}

/** Whether an error of {@link unreadable} says that the file is not there. */
export function isMissing(error: unknown): boolean {
  const cause = error instanceof OperatorError ? error.cause : null;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
