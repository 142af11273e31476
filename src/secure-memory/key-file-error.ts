/**
 * A file that holds a secret can't be read, written or decoded. The message names the file, what is wrong and what to do; nothing of the file's
 * content is in it, nor in its cause.
 */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
  /** Path of the file, as it was given. */
  readonly file: string;

  constructor(file: string, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause });
    this.file = file;
  }
}

/** Whether a file could not be read because nothing stands at the path. */
export function isMissingFile(error: unknown): boolean {
  return hasCause(error, 'ENOENT');
}

/** Whether a file was not created because something stands at the path; that was not touched. */
export function isExistingFile(error: unknown): boolean {
  return hasCause(error, 'EEXIST');
}

function hasCause(error: unknown, code: string): boolean {
  if (!(error instanceof KeyFileError)) return false;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
