import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../run/bounded-run.ts';
import { print, printRow } from '../run/print.ts';
import { type Installation, makeInstallation, startBenchService } from '../service/bench-service.ts';
import { makeAccounts } from '../service/sealed-accounts.ts';
import { BENCH_ACCOUNTS, drive, type Work } from './drive.ts';
import { BATCHES, SINGLES } from './scenarios.ts';

const SLICE = { warmUpMs: 3000, ms: 6000 };
const WRITTEN_MS = 20_000;
const AREAS = 20;
const FUNCTIONS = 25;
/** `CPU.date.time.pid.thread.number.cpuprofile` of the main thread. */
const OF_MAIN_THREAD = /^CPU\.\d+\.\d+\.\d+\.0\.\d+\.cpuprofile$/;

/**
 * The fields used of a profile
 * (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile).
 */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** Profiles the service under single requests, then under batches, both of ed25519. */
export async function profileService(cleanup: Cleanup): Promise<boolean> {
  const installation = await makeInstallation(cleanup, (file) => makeAccounts(file, BENCH_ACCOUNTS));
  // Kept for Chromium's developer tools.
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-profile-'));
  await profile('single ed25519', SINGLES, join(folder, 'single'), installation, cleanup);
  await profile('batches of 100, ed25519', BATCHES, join(folder, 'batches'), installation, cleanup);
  return true;
}

/** Prints areas and functions by their share of the busy samples, and the profile's path. */
async function profile(
  name: string,
  work: Work,
  folder: string,
  { place, accounts }: Installation,
  cleanup: Cleanup,
): Promise<void> {
  // Node creates it only with the profile.
  mkdirSync(folder);
  const service = await startBenchService({ place }, cleanup, {
    nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    // In production the service rejects profilers.
    settings: { NODE_ENV: 'development' },
  });
  await drive([service], work, SLICE, accounts);
  process.kill(service.pid, 'SIGTERM');
  const path = await waitForProfile(folder);
  const { nodes, samples } = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile;
  const areas = toAreas(nodes);
  const busy = samples.filter((sample) => areas.get(sample) !== IDLE);
  const names = new Map(nodes.map(({ id, callFrame }) => [id, formatName(callFrame)]));
  print(`${name}: ${path}`);
  printShares('area', busy, areas, AREAS);
  printShares('function', busy, names, FUNCTIONS);
  print();
}

function printShares(
  what: string,
  samples: readonly number[],
  names: ReadonlyMap<number, string>,
  count: number,
): void {
  const counts = new Map<string, number>();
  for (const sample of samples) {
    const name = names.get(sample) ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  printRow([what, 'share'], [60, 10]);
  for (const [name, own] of [...counts].sort(([, left], [, right]) => right - left).slice(0, count)) {
    printRow([name, `${((own / samples.length) * 100).toFixed(1)} %`], [60, 10]);
  }
}

const IDLE = '(idle)';
const NODE = 'node';
/** V8's frames without a script, such as the garbage collector. */
const VM_FRAME = /^\((?:idle|garbage collector|program)\)$/;
const OWN_FILE = /\/dist\/((?:[^/]+\/){0,3})[^/]+$/;
const PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Folder or package of the innermost frame that has one; Node's own functions count for it. */
function toAreas(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const areaOf = (id: number): string => {
    const frame = byId.get(id)?.callFrame;
    if (frame === undefined) return NODE;
    if (VM_FRAME.test(frame.functionName)) return frame.functionName;
    const area = PACKAGE.exec(frame.url)?.[1] ?? OWN_FILE.exec(frame.url)?.[1];
    return area ?? areaOf(parents.get(id) ?? -1);
  };
  return new Map(nodes.map(({ id }) => [id, areaOf(id)]));
}

function formatName({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
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
