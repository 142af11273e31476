import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Container } from 'inversify';
import { unreadable } from '../adapters/driven/credential-source/credentials-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { createContainer, purgeKeys } from './compose.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { type RunningService, startService } from './lifecycle.ts';
import { refuseDebugging } from './production.ts';
import { reportFailure } from './report-failure.ts';
import { type Environment, readServiceSettings, type Settings } from './settings.ts';
import { logDebuggerAttempts, reportHardening } from './start-report.ts';
import { TOKENS } from './tokens.ts';

/**
 * Starts the service in this process; undefined when it did not start: then the exit code is set
 * and standard error says why.
 */
export async function serve(environment: Environment): Promise<RunningService | undefined> {
  if (refuseDebugging(environment)) return undefined;
  try {
    const settings = readServiceSettings(environment);
    if (await isMissing(settings.credentialsFile)) {
      process.stderr.write(howToConfigure(settings));
      process.exitCode = EXIT_CODES.refused;
      return undefined;
    }
    const container = createContainer(settings);
    const log = container.get(TOKENS.ServiceLog);
    purgeOnFatalError(container);
    logDebuggerAttempts(log);
    const service = await startService(container);
    reportHardening(environment, log);
    return service;
  } catch (error) {
    process.exitCode = reportFailure('The service did not start.\n', error);
    return undefined;
  }
}

/**
 * From now on an unexpected error ends the process, as it would anyway, after every key is
 * forgotten.
 */
function purgeOnFatalError(container: Container): void {
  const die = (error: unknown) => {
    try {
      purgeKeys(container);
    } finally {
      reportFailure('The service ends because of an error that nobody expected.\n', error);
      process.exit(EXIT_CODES.crashed);
    }
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}

/**
 * Whether there is no such file. @throws CredentialLoadError when it can't be read, or its folder
 * denies to look
 */
async function isMissing(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK);
    return false;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return true;
    throw unreadable(file, error);
  }
}

function howToConfigure({ credentialsFile }: Settings): string {
  const command = `node ${relative('.', fileURLToPath(new URL('../cli.js', import.meta.url)))}`;
  return `Nothing is configured yet: ${credentialsFile} does not exist. Three commands configure the service:

  ${command} init
  ${command} platform add --platform my-exchange --format any
  ${command} account add --platform my-exchange --account main --algorithm ed25519

Then start it again. To see it work first, without configuring anything: npm run demo
`;
}
