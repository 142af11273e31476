import { currentDebugState, findDebugSwitches } from '../machine/debug-switches.ts';
import { EXIT_CODES } from './exit-codes.ts';

/**
 * NODE_ENV is `production`, or a likely misspelling of it: `Production`, `prod`,
 * with blanks around.
 */
export function isProduction(environment: { readonly [name: string]: string | undefined }): boolean {
  return /^\s*prod(?:uction)?\s*$/i.test(environment['NODE_ENV'] ?? '');
}

/**
 * In production, refuses a process that others can look into or whose checks are switched off: says
 * on standard error what was found and what to do, sets the exit code and returns true; the caller
 * then ends. It imports next to nothing, so that a program can ask before it loads anything that
 * handles keys.
 *
 * Call it twice: before anything else, and again before keys are read. Node opens its debugger in a
 * thread of its own some time after SIGUSR1, which may have come before the program's first line.
 *
 * @param refused what does not happen, for the message
 */
export function refuseDebugging(
  environment: { readonly [name: string]: string | undefined },
  refused = 'The service did not start',
  state = currentDebugState(environment),
): boolean {
  if (!isProduction(environment)) return false;
  const found = findDebugSwitches(state);
  if (found.length === 0) return false;
  process.stderr.write(
    `${refused}: in production nothing may look into the memory of a process that handles keys, load other code into it, or switch off checks of Node.\n` +
      `${found.map((line) => `  ${line}\n`).join('')}` +
      'Remove this from the command, the environment, and the unit or image that starts it, and try again. Outside production (NODE_ENV is not ' +
      '"production") it is allowed, with a warning.\n',
  );
  process.exitCode = EXIT_CODES.refused;
  return true;
}
