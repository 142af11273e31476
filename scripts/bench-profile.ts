import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchRun } from './bench/bench-run.ts';
import { type Installation, makeInstallation, startBenchService } from './bench/bench-service.ts';
import { areasOf, type CpuProfile, functionsOf, type Stretch, type TimeOfArea } from './bench/profile-areas.ts';
import type { RequestKind } from './bench/request-texts.ts';
import { type Cleanup, runBounded } from './stage/bounded-run.ts';
import { mayBegin } from './stage/known-options.ts';
import { makeAccounts } from './stage/many-accounts.ts';
import { print, printRow } from './stage/print.ts';

/*
 * Where the time of a signature goes: runs the service under V8's sampling profiler (`node --cpu-prof`) and load, single requests for ed25519 and then batches of 100, and prints how the time of its main thread is shared out, in
 * microseconds for each signature. The profiler itself takes some of it. Half a minute.
 *
 * npm run bench:profile
 */

const LIMIT_MS = 120_000;
const WARM_UP = { warmUpMs: 4000, ms: 500 };
const MEASURED = { warmUpMs: 0, ms: 6000 };
const WRITTEN_MS = 20_000;
const LOOK_MS = 50;
const INTERVAL_MICROSECONDS = 250;
const MOST_FUNCTIONS = 12;

/** `CPU.date.time.pid.thread.number.cpuprofile`: what begins in a thread of its own has another file. */
const OF_MAIN_THREAD = /^CPU\.\d+\.\d+\.\d+\.0\.\d+\.cpuprofile$/;

const ACCOUNTS = 1000;
const SINGLES: RequestKind = { algorithm: 'ed25519', accounts: ACCOUNTS, batch: null, different: 5000 };
/** In production the service does not start under a profiler, which would see what it does. */
const UNGUARDED = { NODE_ENV: 'development' };

const SCENES = [
  { words: 'Single requests, ed25519, 64 connections', requests: SINGLES, connections: 64 },
  { words: 'Batches of 100, ed25519', requests: { ...SINGLES, batch: 100, different: 100 }, connections: 4 },
] as const;

const COLUMNS = [62, 8, 8] as const;

async function profile(cleanup: Cleanup): Promise<boolean> {
  print('Profiling takes a part of the time itself, and a service that is profiled runs with NODE_ENV=development.');
  const installation = await makeInstallation(cleanup, (masterKeyFile) => makeAccounts(masterKeyFile, ACCOUNTS));
  for (const scene of SCENES) await profileScene(installation, scene, cleanup);
  return true;
}

async function profileScene(
  installation: Installation,
  { words, requests, connections }: (typeof SCENES)[number],
  cleanup: Cleanup,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-profile-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${INTERVAL_MICROSECONDS}`];
  const service = await startBenchService(installation, cleanup, { nodeOptions, settings: UNGUARDED });
  const run = new BenchRun(cleanup);
  const measured = { services: [service], requests, connections, accounts: installation.accounts };
  await run.drive(measured, WARM_UP);
  const from = microseconds();
  const { answers } = await run.drive(measured, MEASURED);
  const stretch = { from, to: microseconds() };
  process.kill(service.pid, 'SIGTERM');
  printProfile(words, await writtenProfile(folder), stretch, answers * (requests.batch ?? 1));
}

function printProfile(words: string, written: CpuProfile, stretch: Stretch, signatures: number): void {
  const areas = areasOf(written, stretch);
  const all = areas.reduce((sum, { time }) => sum + time, 0);
  const row = ({ words: what, time }: TimeOfArea) =>
    printRow(
      [what.slice(0, COLUMNS[0]), (time / signatures).toFixed(1), `${((time / all) * 100).toFixed(1)} %`],
      COLUMNS,
    );
  print(`\n${words}: ${signatures.toLocaleString('en')} signatures`);
  printRow(['', 'µs', 'share'], COLUMNS);
  for (const area of areas) row(area);
  row({ words: 'together', time: all });
  print('\n  functions by themselves');
  for (const one of functionsOf(written, stretch).slice(0, MOST_FUNCTIONS)) row(one);
}

/** V8 counts from the beginning of the same clock. */
function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Written when the process ends. */
async function writtenProfile(folder: string): Promise<CpuProfile> {
  for (const limit = performance.now() + WRITTEN_MS; performance.now() < limit; await sleep(LOOK_MS)) {
    const name = readdirSync(folder).find((one) => OF_MAIN_THREAD.test(one));
    const text = name === undefined ? '' : readFileSync(join(folder, name), 'utf8');
    if (text.endsWith('}')) return JSON.parse(text) as CpuProfile;
  }
  throw new Error(`The service wrote no profile within ${WRITTEN_MS / 1000} s.`);
}

const USAGE = 'npm run bench:profile takes no options: it prints where the time of a signature goes, in half a minute.';
if (mayBegin(USAGE)) await runBounded(LIMIT_MS, profile);
