import { existsSync } from 'node:fs';
import { createContainer } from './container.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { reportFailure } from './report-failure.ts';
import { type RunningService, startService } from './running-service.ts';
import { type Environment, readSettings, type Settings } from './settings.ts';

/** Runs the service in this process until a signal ends it. SIGTERM and SIGINT stop it gracefully, SIGHUP reloads the credentials. */
export async function serve(environment: Environment): Promise<void> {
  const service = await tryStart(environment);
  if (service === undefined) return;

  process.on('SIGHUP', () => void service.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void service.stop().then(() => process.exit(EXIT_CODES.done), dieOf(service)));
  }
  process.on('uncaughtException', dieOf(service));
  process.on('unhandledRejection', dieOf(service));
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
  return `Nothing is configured yet: ${credentialsFile} does not exist. Three commands configure the service:

  node dist/cli.js init
  node dist/cli.js platform add --platform my-exchange --format any --algorithm ed25519
  node dist/cli.js account add --platform my-exchange --account main --algorithm ed25519

Then start it again. To see it work first, without configuring anything: npm run demo
`;
}
