/**
 * Exit codes of all programs. This file imports nothing, for programs that have loaded nothing yet.
 */
export const EXIT_CODES = {
  /** Success. */
  done: 0,
  /** Unexpected error; the stack is on standard error. */
  crashed: 1,
  /** Refused: options, settings, files or machine are wrong; standard error has the reason. */
  refused: 2,
  /** Of a check: no issue found, but not everything could be checked. */
  incomplete: 3,
  /** Of `status`: the service responds, but is not ready. */
  notReady: 4,
  /** Of `status`: the service cannot be reached, or refuses. */
  unavailable: 5,
} as const;

/** Codes of Node and of the loaders of native libraries (require-addon). */
const LOAD_FAILURES = [
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_DLOPEN_FAILED',
  'ADDON_NOT_FOUND',
  'CANNOT_LOAD',
];

/** node-gyp-build's error has no code. */
const NO_BUILD = /^No native build was found/;

/** Whether an error says that a module or a native library cannot be loaded. */
export function isLoadFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NO_BUILD.test(error.message) || ('code' in error && LOAD_FAILURES.includes(String(error.code)));
}

/** What to do if a module cannot be loaded, with a final newline. */
export function formatLoadFailure(error: unknown): string {
  return (
    `A module could not be loaded.\n${error instanceof Error ? error.message : String(error)}\n` +
    'The service needs Node 20.19 or newer, or 22.12 or newer, with glibc (Debian, Ubuntu, Fedora; not Alpine) and its native libraries: ' +
    'run `npm ci` on this machine. Without a prebuilt secp256k1-native (linux-arm64), npm compiles it and needs ' +
    'python3, make and g++: run `CFLAGS=-O1 npm ci` there.\n'
  );
}

/**
 * Loads a module; if a native library is missing, explains it on standard error and exits with 2.
 */
export async function loadOrExplain<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    process.stderr.write(formatLoadFailure(error));
    process.exit(EXIT_CODES.refused);
  }
}
