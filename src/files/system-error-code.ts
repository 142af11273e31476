/** The code of an error of the operating system (`ENOENT`), or a stand-in for an error that has none. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Whether an error comes from the operating system, and not from a mistake in this program. */
export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
