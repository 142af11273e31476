import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_CERTIFICATE } from '../../tests/harness/certificates.ts';
import { listeningPorts } from '../../tests/harness/listening-ports.ts';
import { Workplace } from '../../tests/harness/service-process.ts';
import { START_OPTIONS } from '../../tests/harness/start-options.ts';
import type { Target } from '../bench/drive.ts';
import type { Cleanup } from '../run/bounded-run.ts';
import { cpuSeconds } from './process-use.ts';
import { formatCredentials, replaceFile, type SealedAccount } from './sealed-accounts.ts';

const READY_MS = 60_000;
const POLL_MS = 20;
/** Programs, by their paths from dist/. */
const MAIN = 'main.js';
const WITHOUT_AUDIT = '../scripts/bench/service-without-audit.mjs';

/**
 * As the image starts it, logging to /dev/null: a log reader would compete for the processors. The
 * shell replaces itself, so its pid is the service's.
 */
function createLauncher(options: readonly string[]): readonly string[] {
  const all = [...START_OPTIONS, ...options].join(' ');
  return ['/bin/sh', '-c', `node=$1; shift; ulimit -c 0; exec "$node" ${all} "$@" > /dev/null`, 'sh'];
}

/** A service in its own process. */
export interface BenchService extends Target {
  /** CPU seconds since its start. */
  cpuSeconds(): number;
  readonly place: Workplace;
  /** Resolves at its exit. */
  ended(): Promise<unknown>;
  /** Ends it and removes its folder. */
  end(): Promise<void>;
}

/** Deviations from the default. */
export interface BenchServiceOptions {
  readonly isHttps?: boolean;
  /** False: audit entries are discarded; nothing is chained, signed or written. */
  readonly isAudited?: boolean;
  /** Added to the image's options; must not need shell quoting. */
  readonly nodeOptions?: readonly string[];
  readonly settings?: { readonly [name: string]: string };
}

/** Files that services share. */
export interface Installation {
  readonly place: Workplace;
  readonly accounts: readonly SealedAccount[];
}

/** Creates master key and credentials file in a new folder. */
export async function makeInstallation(
  cleanup: Cleanup,
  make: (masterKeyFile: string) => readonly SealedAccount[],
): Promise<Installation> {
  const place = new Workplace();
  cleanup.add(() => place.remove());
  await place.prepare('init');
  const accounts = make(place.path('master.key'));
  replaceFile(place.path('credentials.json'), formatCredentials(accounts));
  return { place, accounts };
}

/** Starts a service on an installation, with its own audit chain; resolves when it listens. */
export async function startBenchService(
  { place: shared }: Pick<Installation, 'place'>,
  cleanup: Cleanup,
  { isHttps = false, isAudited = true, nodeOptions = [], settings = {} }: BenchServiceOptions = {},
): Promise<BenchService> {
  const place = new Workplace({
    NODE_ENV: 'production',
    SIGNING_CREDENTIALS_FILE: shared.path('credentials.json'),
    SIGNING_MASTER_KEY_FILE: shared.path('master.key'),
    ...settings,
  });
  cleanup.add(() => place.remove());
  // Creates the audit key, the only missing file.
  await place.prepare('init');
  if (isHttps) useCertificate(place);
  place.launcher = createLauncher(nodeOptions);
  const process = place.spawn(isAudited ? MAIN : WITHOUT_AUDIT, []);
  let issue: string | null = null;
  const ended = process.ended().then(({ exitCode, stderr }) => {
    issue = `The service ended with ${exitCode}: ${stderr}`;
  });
  const { pid } = process;
  // /proc loses the process just before its exit is reported.
  const port = await Promise.race([ended, listeningPort(pid).catch(() => ended)]);
  if (port === undefined) throw new Error(issue ?? `The service did not listen within ${READY_MS / 1000} s.`);
  const target = { url: `${isHttps ? 'https' : 'http'}://127.0.0.1:${port}`, pid };
  return { ...target, place, cpuSeconds: () => cpuSeconds(pid), ended: () => ended, end: () => place.remove() };
}

/** The tests' certificate: self-signed, for localhost. */
function useCertificate({ environment }: Workplace): void {
  const { certFile, keyFile } = TEST_CERTIFICATE;
  Object.assign(environment, { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile });
}

/** Port from the system's tables, since its log goes to /dev/null; it listens when ready. */
async function listeningPort(pid: number): Promise<number | undefined> {
  for (const limit = performance.now() + READY_MS; performance.now() < limit; await sleep(POLL_MS)) {
    const [port] = listeningPorts(pid);
    if (port !== undefined) return port;
  }
  return undefined;
}
