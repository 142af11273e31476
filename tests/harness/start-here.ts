import { AdapterSet, type Adapters } from '../../src/app/adapters.ts';
import { type RunningService, type StartOptions, startService } from '../../src/app/lifecycle.ts';
import { readServiceSettings } from '../../src/app/settings/settings.ts';
import { FixedCredentialSource } from '../doubles/fixed-credential-source.ts';
import { MockKeyStore } from '../doubles/mock-key-store.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from './sample-accounts.ts';

type Environment = { readonly [name: string]: string };

/**
 * Starts the service of an environment in this process, which is faster than a new one, with
 * adapters replaced by name. Logs errors only by default.
 */
export function startHere(
  environment: Environment,
  replacements: Partial<Adapters> = {},
  options: StartOptions = {},
): Promise<RunningService> {
  const settings = readServiceSettings({ SIGNING_LOG_LEVEL: 'error', SIGNING_PORT: '0', ...environment });
  return startService(settings, new AdapterSet(settings, replacements), options);
}

/** The same with the sample accounts instead of files, and with a mock vault. */
export function startSampleHere(
  environment: Environment,
  replacements: Partial<Adapters> & Pick<Adapters, 'sink' | 'log'>,
  options: StartOptions = {},
): Promise<RunningService> {
  const source = new FixedCredentialSource({ platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS });
  return startHere(
    environment,
    { keyStore: new MockKeyStore(), source, ...replacements },
    {
      drainMs: 1000,
      ...options,
    },
  );
}

/** Serves in this process during `use`, without log output. */
export async function whileServing<Result>(
  { environment }: { readonly environment: Environment },
  use: (service: RunningService) => Promise<Result>,
): Promise<Result> {
  const service = await startHere(environment, { log: new RecordingServiceLog() });
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}
