import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../stage/bounded-run.ts';
import { makeAccounts } from '../stage/many-accounts.ts';
import { print, printRow } from '../stage/print.ts';
import { makeInstallation, startBenchService } from './bench-service.ts';
import { BENCH_ACCOUNTS, drive } from './drive.ts';

const SLICE = { warmUpMs: 3000, ms: 6000 };
const WRITTEN_MS = 20_000;
const FUNCTIONS = 25;
/** `CPU.date.time.pid.thread.number.cpuprofile`: of the main thread. */
const OF_MAIN_THREAD = /^CPU\.\d+\.\d+\.\d+\.0\.\d+\.cpuprofile$/;

/**
 * What is read of a profile
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
 * Profiles the service under single ed25519 requests, and prints its busiest functions and where
 * the profile is.
 */
export async function profileService(cleanup: Cleanup): Promise<boolean> {
  const { place, accounts } = await makeInstallation(cleanup, (file) => makeAccounts(file, BENCH_ACCOUNTS));
  // Kept: it can be opened in Chromium's developer tools.
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-profile-'));
  const service = await startBenchService({ place }, cleanup, {
    nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    // In production the service refuses to start under a profiler.
    settings: { NODE_ENV: 'development' },
  });
  await drive([service], { algorithm: 'ed25519', batch: null, connections: 64 }, SLICE, accounts);
  process.kill(service.pid, 'SIGTERM');
  const path = await writtenProfile(folder);
  printFunctions(JSON.parse(readFileSync(path, 'utf8')) as CpuProfile);
  print(`\n${path}`);
  return true;
}

function printFunctions({ nodes, samples }: CpuProfile): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
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

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const place = url === '' ? '' : ` ${basename(url)}:${lineNumber + 1}`;
  return `${functionName || '(anonymous)'}${place}`.slice(0, 60);
}

/** Written when the process ends. */
async function writtenProfile(folder: string): Promise<string> {
  for (const limit = performance.now() + WRITTEN_MS; performance.now() < limit; await sleep(50)) {
    const name = readdirSync(folder).find((one) => OF_MAIN_THREAD.test(one));
    if (name !== undefined && readFileSync(join(folder, name), 'utf8').endsWith('}')) return join(folder, name);
  }
  throw new Error(`The service wrote no profile within ${WRITTEN_MS / 1000} s.`);
}
