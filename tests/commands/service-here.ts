import { createContainer } from '../../src/composition/compose.ts';
import { type RunningService, startService } from '../../src/composition/lifecycle.ts';
import { readServiceSettings } from '../../src/composition/settings.ts';
import { TOKENS } from '../../src/composition/tokens.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import type { Workplace } from '../e2e/service-process.ts';

/**
 * Serves in this process while `use` runs, where that shows the same as a process of its own, which
 * takes longer to start. The log is kept from standard output.
 */
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
