import { currentDebugState, findDebugSwitches } from '../../adapters/machine/debug-switches.ts';
import { type Finding, fail, ok, warning } from '../../adapters/machine/finding.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { isProduction } from '../production.ts';
import { type Environment, readServiceSettings, type Settings } from '../settings/settings.ts';

/** The settings of the service, or the error that lists what is wrong. */
export function readSettingsOrError(environment: Environment): Settings | OperatorError {
  try {
    return readServiceSettings(environment);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
}

/** Checks the settings and reports what production would reject. */
export function checkSettings(environment: Environment, settings: Settings | OperatorError): readonly Finding[] {
  const production = isProduction(environment)
    ? ok('production', 'yes (NODE_ENV)')
    : warning(
        'production',
        'no: plaintext keys, other key stores and debuggers can be allowed',
        'Set NODE_ENV=production for real keys.',
      );
  if (settings instanceof OperatorError) {
    const remedy =
      'Correct these environment variables; docs/operators/configure.md lists all settings. Dependent checks were skipped.';
    return [fail('settings', settings.message, remedy), production];
  }
  return [ok('settings', 'all valid'), production, ...checkAllowances(settings)];
}

/**
 * Checks for debuggers and disabled checks of Node, with which the service starts only outside
 * production.
 */
export function checkDebugging(environment: Environment, state = currentDebugState(environment)): Finding {
  const found = findDebugSwitches(state);
  if (found.length === 0)
    return ok('debugging', 'no option or variable exposes this process or disables checks of Node');
  const remedy =
    'Remove this from the command, the environment, and the unit or image; with NODE_ENV=production the service refuses to start.';
  return isProduction(environment)
    ? fail('debugging', found.join('\n'), remedy)
    : warning('debugging', found.join('\n'), remedy);
}

function checkAllowances({ allowPlaintextKeys, keyStoreModule }: Settings): readonly Finding[] {
  const findings: Finding[] = [];
  if (allowPlaintextKeys) {
    findings.push(
      warning(
        'plaintext-keys',
        'allowed: such keys are readable in the credentials file and in ordinary memory',
        'Seal them with `account add --key-file` and remove SIGNING_ALLOW_PLAINTEXT_KEYS.',
      ),
    );
  }
  if (keyStoreModule !== null) {
    findings.push(
      warning('key-store', 'a module replaces the key vault', 'Remove SIGNING_KEY_STORE_MODULE for real keys.'),
    );
  }
  return findings;
}
