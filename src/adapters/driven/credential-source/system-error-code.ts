/** The code of an error of the operating system (`ENOENT`), or a stand-in for an error that has none. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
