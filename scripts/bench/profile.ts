import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../run/bounded-run.ts';
import { print, printRow } from '../run/print.ts';
import { makeInstallation, startBenchService } from '../service/bench-service.ts';
import { makeAccounts } from '../service/sealed-accounts.ts';
import { BENCH_ACCOUNTS, drive } from './drive.ts';

const SLICE = { warmUpMs: 3000, ms: 6000 };
const WRITTEN_MS = 20_000;
const FUNCTIONS = 25;
/** `CPU.date.time.pid.thread.number.cpuprofile` of the main thread. */
const OF_MAIN_THREAD = /^CPU\.\d+\.\d+\.\d+\.0\.\d+\.cpuprofile$/;

/**
 * The fields used of a profile
 * (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile).
 */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
}

/**
 * Profiles the service under single ed25519 requests; prints its busiest functions and the
 * profile's path.
 */
export async function profileService(cleanup: Cleanup): Promise<boolean> {
  const { place, accounts } = await makeInstallation(cleanup, (file) => makeAccounts(file, BENCH_ACCOUNTS));
  // Kept for Chromium's developer tools.
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-profile-'));
  const service = await startBenchService({ place }, cleanup, {
    nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    // In production the service rejects profilers.
    settings: { NODE_ENV: 'development' },
  });
  await drive([service], { algorithm: 'ed25519', batch: null, connections: 64 }, SLICE, accounts);
  process.kill(service.pid, 'SIGTERM');
  const path = await waitForProfile(folder);
  printFunctions(JSON.parse(readFileSync(path, 'utf8')) as CpuProfile);
  print(`\n${path}`);
  return true;
}

function printFunctions({ nodes, samples }: CpuProfile): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, formatName(callFrame)]));
  const counts = new Map<string, number>();
  for (const sample of samples) {
    const name = names.get(sample) ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  printRow(['function', 'share of samples'], [60, 18]);
  for (const [name, count] of [...counts].sort(([, left], [, right]) => right - left).slice(0, FUNCTIONS)) {
    printRow([name, `${((count / samples.length) * 100).toFixed(1)} %`], [60, 18]);
  }
}

function formatName({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const position = url === '' ? '' : ` ${basename(url)}:${lineNumber + 1}`;
  return `${functionName || '(anonymous)'}${position}`.slice(0, 60);
}

/** Node writes the profile at exit. */
async function waitForProfile(folder: string): Promise<string> {
  for (const limit = performance.now() + WRITTEN_MS; performance.now() < limit; await sleep(50)) {
    const name = readdirSync(folder).find((one) => OF_MAIN_THREAD.test(one));
    if (name !== undefined && readFileSync(join(folder, name), 'utf8').endsWith('}')) return join(folder, name);
  }
  throw new Error(`The service wrote no profile within ${WRITTEN_MS / 1000} s.`);
}
