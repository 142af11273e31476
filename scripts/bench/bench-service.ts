import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_CERTIFICATE } from '../../tests/api/test-certificate.ts';
import { listeningPorts } from '../../tests/e2e/listening-ports.ts';
import { Workplace } from '../../tests/e2e/service-process.ts';
import { START_OPTIONS } from '../../tests/e2e/start-options.ts';
import type { Cleanup } from '../stage/bounded-run.ts';
import { credentialsText, replaceFile, type SealedAccount } from '../stage/sealed-accounts.ts';
import { cpuSeconds, type Target } from './drive.ts';

const READY_MS = 60_000;
const LOOK_MS = 20;
const MAIN = 'main.js';

/**
 * As the image starts it, with its log, a line for each request at the default level, given to /dev/null: whoever reads it in operation is another process, and would need a processor that the callers have here. The shell
 * goes, and is the process that is measured.
 */
function launcherWith(options: readonly string[]): readonly string[] {
  const all = [...START_OPTIONS, ...options].join(' ');
  return ['/bin/sh', '-c', `node=$1; shift; ulimit -c 0; exec "$node" ${all} "$@" > /dev/null`, 'sh'];
}

/** A service in a process of its own. */
export interface BenchService extends Target {
  /** Seconds of processor that it has taken since its start. */
  cpuSeconds(): number;
  readonly place: Workplace;
  /** Resolves when its process has ended. */
  ended(): Promise<unknown>;
  /** Ends it, and removes its folder. */
  end(): Promise<void>;
}

/** How a service of the bench differs from the default. */
export interface BenchServiceOptions {
  readonly isHttps?: boolean;
  /** Beside those of the image; nothing that a shell would change. */
  readonly nodeOptions?: readonly string[];
  readonly settings?: { readonly [name: string]: string };
}

/** Files that services share. */
export interface Installation {
  readonly place: Workplace;
  readonly accounts: readonly SealedAccount[];
}

/** Makes master key and credentials file, in a folder of their own. */
export async function makeInstallation(
  cleanup: Cleanup,
  make: (masterKeyFile: string) => readonly SealedAccount[],
): Promise<Installation> {
  const place = new Workplace();
  cleanup.add(() => place.remove());
  await place.prepare('init');
  const accounts = make(place.path('master.key'));
  replaceFile(place.path('credentials.json'), credentialsText(accounts));
  return { place, accounts };
}

/** Starts a service on the accounts of an installation, with an audit chain of its own, and resolves when it listens. */
export async function startBenchService(
  { place: shared }: Pick<Installation, 'place'>,
  cleanup: Cleanup,
  { isHttps = false, nodeOptions = [], settings = {} }: BenchServiceOptions = {},
): Promise<BenchService> {
  const place = new Workplace({
    NODE_ENV: 'production',
    SIGNING_CREDENTIALS_FILE: shared.path('credentials.json'),
    SIGNING_MASTER_KEY_FILE: shared.path('master.key'),
    ...settings,
  });
  cleanup.add(() => place.remove());
  // The audit key, which alone is missing.
  await place.prepare('init');
  if (isHttps) useCertificate(place);
  place.launcher = launcherWith(nodeOptions);
  const process = place.spawn(MAIN, []);
  let fault: string | null = null;
  const ended = process.ended().then(({ exitCode, stderr }) => {
    fault = `The service ended with ${exitCode}: ${stderr}`;
  });
  const { pid } = process;
  // What is known of a process goes with it, a moment before its end is told.
  const port = await Promise.race([ended, listeningPort(pid).catch(() => ended)]);
  if (port === undefined) throw new Error(fault ?? `The service did not listen within ${READY_MS / 1000} s.`);
  const target = { url: `${isHttps ? 'https' : 'http'}://127.0.0.1:${port}`, pid };
  return { ...target, place, cpuSeconds: () => cpuSeconds([target]), ended: () => ended, end: () => place.remove() };
}

/** Uses the certificate of the tests: self-signed, for localhost. */
function useCertificate({ environment }: Workplace): void {
  const { certFile, keyFile } = TEST_CERTIFICATE;
  Object.assign(environment, { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile });
}

/** The port that the system gave it; the service listens once all else is there. Its log, which tells it too, is read by nobody. */
async function listeningPort(pid: number): Promise<number | undefined> {
  for (const limit = performance.now() + READY_MS; performance.now() < limit; await sleep(LOOK_MS)) {
    const [port] = listeningPorts(pid);
    if (port !== undefined) return port;
  }
  return undefined;
}
