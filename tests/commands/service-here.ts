import type { RunningService } from '../../src/app/lifecycle.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import type { Workplace } from '../e2e/service-process.ts';
import { startHere } from '../harness/start-here.ts';

/** Serves in this process during `use`, without log output. */
export async function whileServing<Result>(
  { environment }: Workplace,
  use: (service: RunningService) => Promise<Result>,
): Promise<Result> {
  const service = await startHere(environment, { log: new RecordingServiceLog() });
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}
