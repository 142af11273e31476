import { currentDebugState, findDebugSwitches } from '../../adapters/machine/debug-switches.ts';
import { checkHardeningFlags } from '../../adapters/machine/hardening-flags.ts';
import { type Outcome, warning } from '../../adapters/machine/outcome.ts';
import { loadOpenTelemetry } from '../../adapters/observability/otlp-traces.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { isProduction } from '../production.ts';
import type { Environment, Settings } from '../settings/settings.ts';
import type { Configured, Row } from './rows.ts';

/** What checks of the process and the machine get. */
export interface ProcessContext {
  readonly environment: Environment;
  /** Or what is wrong with them. */
  readonly settings: Settings | OperatorError;
  /** A server with a correct clock. */
  readonly clockReference?: URL | undefined;
}

/** Settings and the options of this process. */
export const PROCESS_ROWS: readonly Row<ProcessContext>[] = [
  {
    check: 'settings',
    run({ settings }) {
      if (settings instanceof OperatorError) throw settings;
      return 'all valid';
    },
    remedy:
      'Correct these environment variables; docs/operators/configure.md lists all settings. Dependent checks were skipped.',
  },
  {
    check: 'production',
    run: ({ environment }) =>
      isProduction(environment)
        ? 'yes (NODE_ENV)'
        : warning(
            'no: plaintext keys, other key stores and debuggers can be allowed',
            'Set NODE_ENV=production for real keys.',
          ),
  },
  { check: 'debugging', run: ({ environment }) => checkDebugging(environment) },
  { check: 'node-options', run: () => checkHardeningFlags(undefined, 'this command (not the service)') },
];

/** What settings allow or send elsewhere. */
export const ALLOWANCE_ROWS: readonly Row<Configured>[] = [
  {
    check: 'plaintext-keys',
    run: ({ settings }) =>
      settings.allowPlaintextKeys
        ? warning(
            'allowed: such keys are readable in the credentials file and in ordinary memory',
            'Seal them with `signing-service account add --key-file` and remove SIGNING_ALLOW_PLAINTEXT_KEYS.',
          )
        : [],
  },
  {
    check: 'key-store',
    run: ({ settings }) =>
      settings.keyStoreModule === null
        ? []
        : warning('a module replaces the key vault', 'Remove SIGNING_KEY_STORE_MODULE for real keys.'),
  },
  {
    check: 'traces',
    async run({ settings: { traceEndpoint } }) {
      if (traceEndpoint === null) return [];
      await loadOpenTelemetry();
      return `sent to ${new URL(traceEndpoint).origin}`;
    },
  },
];

/**
 * Checks for debuggers and disabled checks of Node, with which the service starts only outside
 * production.
 */
export function checkDebugging(environment: Environment, state = currentDebugState(environment)): Outcome {
  const found = findDebugSwitches(state);
  if (found.length === 0) return 'no option or variable exposes this process or disables checks of Node';
  return {
    state: isProduction(environment) ? 'fail' : 'warning',
    message: found.join('\n'),
    remedy:
      'Remove this from the command, the environment, and the unit or image; with NODE_ENV=production the service refuses to start.',
  };
}
