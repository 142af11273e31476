import { type RunningService, type ServiceParts, startService } from './running-service.ts';

/** One service for all tests of a suite; each begins without records and log. */
export function useService(parts: ServiceParts = {}): RunningService {
  const service = {} as RunningService;
  before(async () => void Object.assign(service, await startService(parts)));
  beforeEach(() => service.forget());
  after(() => service.close());
  return service;
}

/** A new service for each test of a suite. */
export function useNewService(begin: () => Promise<RunningService> = startService): RunningService {
  const service = {} as RunningService;
  beforeEach(async () => void Object.assign(service, await begin()));
  afterEach(() => service.close());
  return service;
}

/** Puts another service in the place of one from {@link useService} or {@link useNewService}. */
export async function restartAs(service: RunningService, starting: Promise<RunningService>): Promise<void> {
  const next = await starting;
  await service.close();
  Object.assign(service, next);
}

/** Serves with other parts meanwhile. */
export async function withService(parts: ServiceParts, use: (other: RunningService) => Promise<void>): Promise<void> {
  const other = await startService(parts);
  await use(other).finally(() => other.close());
}
