import type { RunningService } from '../../src/composition/lifecycle.ts';
import type { ExplainedFailure } from '../../src/composition/report-failure.ts';
import { printedBy } from './command-in-process.ts';

type Environment = { readonly [name: string]: string };

/**
 * Starts the service in this process, which is quicker than a process of its own. It logs errors
 * alone, unless the environment says otherwise. Not for tests of the process itself: signals,
 * options of Node, its end, or whether it may look for its configuration.
 */
export async function serviceInProcess(environment: Environment): Promise<RunningService> {
  // Loaded on first use: most tests start processes only.
  const { createContainer } = await import('../../src/composition/compose.ts');
  const { startService } = await import('../../src/composition/lifecycle.ts');
  const { readServiceSettings } = await import('../../src/composition/settings.ts');
  const settings = readServiceSettings({ SIGNING_LOG_LEVEL: 'error', ...environment });
  return startService(createContainer(settings));
}

/**
 * What a process of the service prints when it does not start, and its exit code. Another test shows
 * that the process ends so.
 */
export async function refusedStart(environment: Environment): Promise<ExplainedFailure> {
  const { explainFailure } = await import('../../src/composition/report-failure.ts');
  const { result } = await printedBy(() =>
    serviceInProcess(environment).then(
      async (service) => {
        await service.stop();
        throw new Error('The service started.');
      },
      (error: unknown) => explainFailure(error),
    ),
  );
  return result;
}
