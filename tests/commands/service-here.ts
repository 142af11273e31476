import { createContainer } from '../../src/app/compose.ts';
import { TOKENS } from '../../src/app/container-tokens.ts';
import { type RunningService, startService } from '../../src/app/lifecycle.ts';
import { readServiceSettings } from '../../src/app/settings/settings.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import type { Workplace } from '../e2e/service-process.ts';

/** Serves in this process during `use`, which is faster than a new one, without log output. */
export async function whileServing<Result>(
  { environment }: Workplace,
  use: (service: RunningService) => Promise<Result>,
): Promise<Result> {
  const container = createContainer(readServiceSettings(environment));
  container.rebind(TOKENS.ServiceLog).toConstantValue(new RecordingServiceLog());
  const service = await startService(container);
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}
