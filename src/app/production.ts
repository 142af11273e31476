import { currentDebugState, findDebugSwitches } from '../adapters/machine/debug-switches.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** Whether NODE_ENV is `production` or a likely misspelling: `Production`, `prod`, with blanks. */
export function isProduction(environment: { readonly [name: string]: string | undefined }): boolean {
  return /^\s*prod(?:uction)?\s*$/i.test(environment['NODE_ENV'] ?? '');
}

/**
 * In production, rejects a process with a debugger or disabled checks of Node: prints findings and
 * remedy, sets the exit code and returns true; the caller then ends. Imports almost nothing, so
 * that programs can call it before they load code that handles keys.
 *
 * Call it first and again before keys are read: Node opens its debugger in another thread, some
 * time after a SIGUSR1.
 *
 * @param refused first words of the message
 */
export function rejectDebugging(
  environment: { readonly [name: string]: string | undefined },
  refused = 'The service did not start',
  state = currentDebugState(environment),
): boolean {
  if (!isProduction(environment)) return false;
  const found = findDebugSwitches(state);
  if (found.length === 0) return false;
  process.stderr.write(
    `${refused}: in production, nothing may read the memory of a process that handles keys, load other code into it, or disable checks of Node.\n` +
      `${found.map((line) => `  ${line}\n`).join('')}` +
      'Remove this from the command, the environment, and the unit or image, and try again. Outside production (NODE_ENV is not ' +
      '"production") it is allowed, with a warning.\n',
  );
  process.exitCode = EXIT_CODES.refused;
  return true;
}
