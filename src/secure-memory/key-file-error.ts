/**
 * A file that holds a secret can't be read, written or decoded. The message names the file, what is wrong and what to do; nothing of the file's
 * content is in it, nor in its cause.
 */
export class KeyFileError extends Error {
  override readonly name: string = 'KeyFileError';
  /** Path of the file, as it was given. */
  readonly file: string;

  constructor(file: string, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause });
    this.file = file;
  }
}

/** A secret file was to be created where a file stands already; that file was not touched. */
export class KeyFileExistsError extends KeyFileError {
  override readonly name = 'KeyFileExistsError';

  constructor(file: string, cause?: unknown) {
    super(file, 'it exists already and was left as it is; name another file, or move that one away first', cause);
  }
}

/** Whether a reading failed because nothing stands at the path. */
export function isMissingFile(error: unknown): boolean {
  if (!(error instanceof KeyFileError)) return false;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
