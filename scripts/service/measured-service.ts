import { setTimeout as sleep } from 'node:timers/promises';
import { type Process, ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../../tests/harness/start-options.ts';
import { freePort } from '../../tests/programs/free-port.ts';
import { formatCredentials, replaceFile, type SealedAccount } from './sealed-accounts.ts';

const READY_MS = 60_000;
const POLL_MS = 20;

/** A service with generated accounts in its own process. */
export interface SizedService {
  readonly place: Workplace;
  readonly service: ServiceProcess;
  /** From the start of the process to readiness, milliseconds. */
  readonly startMs: number;
}

/** An installation without accounts and watch, with the image's node options. */
export async function emptyPlace(environment: { readonly [name: string]: string } = {}): Promise<Workplace> {
  const place = new Workplace(environment);
  place.launcher = withNodeOptions(...START_OPTIONS);
  place.keptOutput = 100_000;
  await place.done('init');
  return place;
}

/** Starts a service with these accounts, sealed under the installation's master key. */
export async function startSized(place: Workplace, accounts: readonly SealedAccount[]): Promise<SizedService> {
  replaceFile(place.path('credentials.json'), formatCredentials(accounts));
  const from = performance.now();
  const service = await place.start();
  // Without accounts it never becomes ready.
  if (accounts.length > 0) await ready(service.url);
  return { place, service, startMs: performance.now() - from };
}

/** Resolves when the service is ready. */
export async function ready(url: string): Promise<void> {
  const limit = performance.now() + READY_MS;
  while (performance.now() < limit) {
    const response = await fetch(`${url}/readyz`);
    if (response.status === 200) return;
    await sleep(POLL_MS);
  }
  throw new Error(`${url} was not ready within ${READY_MS / 1000} s.`);
}

const START_MS = 20_000;

/**
 * Starts a service with one ed25519 account, `alpha/main`, without a request log, whose reader
 * would affect the measurement. Uses a free port, since the log does not report one.
 */
export async function startQuietService(place: Workplace): Promise<ServiceProcess> {
  await place.done('init');
  await place.done('platform', 'add', '--platform', 'alpha', '--format', 'any');
  await place.done('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
  const port = await freePort();
  Object.assign(place.environment, { SIGNING_PORT: String(port), SIGNING_LOG_LEVEL: 'error' });
  const child = place.spawn('main.js', []);
  const service = new ServiceProcess(child, `http://127.0.0.1:${port}`);
  await waitUntilReady(service, child);
  return service;
}

async function waitUntilReady(service: ServiceProcess, child: Process): Promise<void> {
  let isOver = false;
  void child.ended().then(() => {
    isOver = true;
  });
  const until = performance.now() + START_MS;
  for (;;) {
    const isReady = await service.get('/status').then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) return;
    if (isOver) throw new Error(`The service did not start: ${(await child.ended()).stderr}`);
    if (performance.now() > until) throw new Error('The service does not answer.');
    await sleep(50);
  }
}
