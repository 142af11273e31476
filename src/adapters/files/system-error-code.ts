/** The code of a system error or OperatorError (`ENOENT`), or a placeholder. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && error.code !== undefined ? String(error.code) : 'unknown error';
}

/** Whether an error comes from the operating system rather than from a bug. */
export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
