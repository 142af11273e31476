import { setTimeout as sleep } from 'node:timers/promises';
import { type Process, ServiceProcess, type Workplace } from '../../tests/e2e/service-process.ts';
import { freePort } from '../../tests/redis/redis-server.ts';

const START_MS = 20_000;

/**
 * Starts the service, with an account `alpha/main` of ed25519, as a process that logs no requests: what reads its log would take part in what is measured, since a process waits for the reader of its standard
 * output. Without log it can't say where it listens, so it gets a port that was free just now.
 */
export async function startQuietService(place: Workplace): Promise<ServiceProcess> {
  await place.done('init');
  await place.done('platform', 'add', '--platform', 'alpha', '--format', 'any');
  await place.done('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
  const port = await freePort();
  Object.assign(place.environment, { SIGNING_PORT: String(port), SIGNING_LOG_LEVEL: 'error' });
  const child = place.spawn('main.js', []);
  const service = new ServiceProcess(child, `http://127.0.0.1:${port}`);
  await untilItAnswers(service, child);
  return service;
}

async function untilItAnswers(service: ServiceProcess, child: Process): Promise<void> {
  let isOver = false;
  void child.ended().then(() => {
    isOver = true;
  });
  const until = performance.now() + START_MS;
  for (;;) {
    const isThere = await service.get('/status').then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isThere) return;
    if (isOver) throw new Error(`The service did not start: ${(await child.ended()).stderr}`);
    if (performance.now() > until) throw new Error('The service does not answer.');
    await sleep(50);
  }
}
