import type { DoctorFinding } from '../../adapters/cli/cli-context.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { type Environment, readServiceSettings, type Settings } from '../settings/settings.ts';
import { AUDIT_ROWS } from './audit.ts';
import { CLOCK_ROWS } from './clock-order.ts';
import { FILE_ROWS } from './files.ts';
import { KEY_ROWS } from './keys.ts';
import { MACHINE_ROWS } from './machine.ts';
import { NETWORK_ROWS } from './network.ts';
import { PERMISSION_ROWS } from './permissions.ts';
import { REDIS_ROWS } from './redis.ts';
import { type Configured, type Row, runRows } from './rows.ts';
import { ALLOWANCE_ROWS, PROCESS_ROWS } from './settings.ts';

/** Checks of a valid configuration. */
export const CONFIGURED_ROWS: readonly Row<Configured>[] = [
  ...ALLOWANCE_ROWS,
  ...FILE_ROWS,
  ...KEY_ROWS,
  ...PERMISSION_ROWS,
  ...AUDIT_ROWS,
  ...NETWORK_ROWS,
  ...CLOCK_ROWS,
  ...REDIS_ROWS,
];

/**
 * Checks machine, process and configuration without running the service; findings in the order
 * shown.
 */
export async function runDoctor(
  environment: Environment,
  options: { readonly clockReference?: URL | undefined } = {},
): Promise<readonly DoctorFinding[]> {
  const settings = readSettingsOrError(environment);
  return [
    ...(await runRows([...PROCESS_ROWS, ...MACHINE_ROWS], { environment, settings, ...options })),
    ...(settings instanceof OperatorError ? [] : await runRows(CONFIGURED_ROWS, { settings, now: Date.now() })),
  ];
}

function readSettingsOrError(environment: Environment): Settings | OperatorError {
  try {
    return readServiceSettings(environment);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
}
