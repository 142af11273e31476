import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { relative } from 'node:path';
import { unreadable } from '../adapters/credentials/credentials-file.ts';
import { systemErrorCode } from '../adapters/files/system-error-code.ts';
import { programPath } from '../program/program-file.ts';
import { AdapterSet } from './adapters.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { reportFailure } from './explain-failure.ts';
import { type RunningService, startService } from './lifecycle.ts';
import { rejectDebugging } from './production.ts';
import { type Environment, readServiceSettings, type Settings } from './settings/settings.ts';
import { logDebuggerAttempts, reportHardening } from './start-report.ts';

/**
 * Starts the service in this process. Undefined if it did not start: standard error has the reason,
 * and the exit code is set.
 */
export async function serve(environment: Environment): Promise<RunningService | undefined> {
  if (rejectDebugging(environment)) return undefined;
  try {
    const settings = readServiceSettings(environment);
    if (await isMissing(settings.credentialsFile)) {
      process.stderr.write(formatSetup(settings));
      process.exitCode = EXIT_CODES.refused;
      return undefined;
    }
    const adapters = new AdapterSet(settings);
    purgeOnFatalError(adapters);
    const log = await adapters.get('log');
    logDebuggerAttempts(log);
    const service = await startService(settings, adapters);
    reportHardening(environment, log);
    return service;
  } catch (error) {
    process.exitCode = reportFailure('The service did not start.\n', error);
    return undefined;
  }
}

/** Wipes every key before an unexpected error ends the process. */
function purgeOnFatalError(adapters: AdapterSet): void {
  const end = (error: unknown) => {
    try {
      adapters.purge();
    } finally {
      reportFailure('The service stops because of an unexpected error.\n', error);
      process.exit(EXIT_CODES.crashed);
    }
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** @throws CredentialLoadError if the file or its folder cannot be read */
async function isMissing(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK);
    return false;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return true;
    throw unreadable(file, error);
  }
}

function formatSetup({ credentialsFile }: Settings): string {
  const command = `node ${relative('.', programPath('cli.js', 'src/cli.ts'))}`;
  return `Nothing is configured yet: ${credentialsFile} does not exist. Three commands configure the service:

  ${command} init
  ${command} platform add --platform my-exchange --format any
  ${command} account add --platform my-exchange --account main --algorithm ed25519

Then start it again. For a demo without configuration: npm run demo
`;
}
