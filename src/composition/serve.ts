import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContainer } from './container.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { reportFailure } from './report-failure.ts';
import { type RunningService, startService } from './running-service.ts';
import { type Environment, readSettings, type Settings } from './settings.ts';

/** Runs the service in this process until a signal ends it. SIGTERM and SIGINT stop it gracefully, SIGHUP reloads the credentials. */
export async function serve(environment: Environment): Promise<void> {
  const starting = tryStart(environment);
  // From the first moment on, so that a signal during the start does not end the process half way.
  process.on('SIGHUP', () => void starting.then((service) => service?.reload()));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void starting.then(stopAndExit));
  }
  const service = await starting;
  if (service === undefined) return;
  process.on('uncaughtException', dieOf(service));
  process.on('unhandledRejection', dieOf(service));
}

async function stopAndExit(service: RunningService | undefined): Promise<void> {
  if (service === undefined) return;
  await service.stop().catch(dieOf(service));
  process.exit(EXIT_CODES.done);
}

async function tryStart(environment: Environment): Promise<RunningService | undefined> {
  try {
    const settings = readSettings(environment);
    if (!existsSync(settings.credentialsFile)) {
      process.stderr.write(howToConfigure(settings));
      process.exitCode = EXIT_CODES.refused;
      return undefined;
    }
    return await startService(settings, createContainer(settings));
  } catch (error) {
    process.exitCode = reportFailure('The service did not start.\n', error);
    return undefined;
  }
}

function dieOf(service: RunningService): (error: unknown) => void {
  return (error) => {
    service.purge();
    reportFailure('The service ends because of an error that nobody expected.\n', error);
    process.exit(EXIT_CODES.crashed);
  };
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
