import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../programs/free-port.ts';
import { ServiceProcess, Workplace } from './service-process.ts';
import { START_OPTIONS, withNodeOptions } from './start-options.ts';

/* The service in its own process, started with the node options of the image. */

const READY_MS = 60_000;
const POLL_MS = 20;

/** An installation without accounts and watch, whose service has the image's node options. */
export async function imagePlace(environment: { readonly [name: string]: string } = {}): Promise<Workplace> {
  const place = new Workplace(environment);
  place.launcher = withNodeOptions(...START_OPTIONS);
  place.keptOutput = 100_000;
  await place.prepare('init');
  return place;
}

/** Adds an ed25519 account, `alpha/main`, that signs any data. */
export async function addSigner(place: Workplace): Promise<void> {
  await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
  await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
}

/**
 * Starts a service whose output is discarded, since a reader would compete for the processors;
 * resolves when it listens.
 */
export async function startUnread(place: Workplace): Promise<ServiceProcess> {
  const port = await freePort();
  const { launcher } = place;
  place.environment['SIGNING_PORT'] = String(port);
  place.launcher = ['/bin/sh', '-c', 'exec "$@" >/dev/null', 'sh', ...launcher];
  const child = place.spawn('main.js', []);
  place.launcher = launcher;
  const ended = child.ended().then(({ exitCode, stderr }) => {
    throw new Error(`The service ended with ${exitCode}: ${stderr}`);
  });
  // It also ends when it is stopped.
  ended.catch(() => undefined);
  await Promise.race([ended, listening(port)]);
  const scheme = place.environment['SIGNING_TLS_CERT_FILE'] === undefined ? 'http' : 'https';
  return new ServiceProcess(child, `${scheme}://127.0.0.1:${port}`);
}

/** Resolves when a program listens on a port of 127.0.0.1. */
export async function listening(port: number): Promise<void> {
  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await poll(`port ${port}`, accepts);
}

/** Resolves when the service is ready. */
export async function ready(url: string): Promise<void> {
  await poll(url, async () => (await fetch(`${url}/readyz`)).status === 200);
}

async function poll(name: string, isReady: () => Promise<boolean>): Promise<void> {
  for (const limit = performance.now() + READY_MS; performance.now() < limit; await sleep(POLL_MS)) {
    if (await isReady()) return;
  }
  throw new Error(`${name} was not ready within ${READY_MS / 1000} s.`);
}
