import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Workplace } from '../../tests/e2e/service-process.ts';
import { HARDENING_OPTIONS, START_OPTIONS, withNodeOptions } from '../../tests/e2e/start-options.ts';
import { median } from '../proof/statistics.ts';
import { type Cleanup, numberArgument, runBounded } from '../run/bounded-run.ts';
import { formatMegabytes, print, printRow } from '../run/print.ts';
import { ready, startQuietService } from '../service/measured-service.ts';
import { cpuSeconds } from '../service/process-use.ts';

/*
 * Processor time of a start and of commands beside a bare node, what the parts that a start loads
 * add, and memory of an idle service with one account. Services have the image's node options,
 * commands and parts those for hardening.
 *
 * npm run measure -- footprint [--rounds 5] [--idle 200]
 *
 * --idle: seconds until the last reading, with a health check every ten; V8 returns memory to the
 * system after one to three minutes
 */

const LIMIT_MS = 900_000;
/** As the image's. */
const HEALTH_CHECK_MS = 10_000;
const CLI = resolve(import.meta.dirname, '../../dist/cli.js');

const LOADED_PARTS = resolve(import.meta.dirname, 'loaded-parts.mjs');
/** The smallest new space, so that its growth is in no part. */
const PART_OPTIONS = ['--expose-gc', '--max-semi-space-size=1'];

const COMMANDS = [['--version'], ['--help'], ['account', 'list'], ['audit', 'verify'], ['status']];

const TABLE = [24, 12, 12] as const;

const run = promisify(execFile);

async function measure(cleanup: Cleanup): Promise<boolean> {
  const [rounds, idle] = [numberArgument('--rounds', 5), numberArgument('--idle', 200)];
  const place = new Workplace();
  place.launcher = withNodeOptions(...START_OPTIONS);
  cleanup.add(() => place.remove());
  const service = await startQuietService(place);
  await ready(service.url);
  const readyAt = performance.now();
  const start = cpuSeconds(service.process.pid);
  print(`Node ${process.version}, ${process.arch}; medians of ${rounds} rounds\n`);
  printRow(['processor time', 's', '× bare node'], TABLE);

  const environment = { ...process.env, ...place.environment };
  const times = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const args of [['-e', '0'], ...COMMANDS.map((words) => [...HARDENING_OPTIONS, CLI, ...words])]) {
      const name = args.includes(CLI) ? args.slice(args.indexOf(CLI) + 1).join(' ') : 'bare node';
      times.set(name, [...(times.get(name) ?? []), await processorSeconds(args, environment)]);
    }
  }
  const bare = median(times.get('bare node') ?? []);
  const printTime = (name: string, seconds: number) =>
    printRow([name, seconds.toFixed(2), (seconds / bare).toFixed(1)], TABLE);
  for (const [name, seconds] of times) printTime(name, median(seconds));
  printTime('start of the service', start);
  print();
  await printParts(rounds);

  setInterval(() => void fetch(`${service.url}/readyz`).catch(() => undefined), HEALTH_CHECK_MS).unref();
  print();
  printRow(['idle, one account', 'RSS', 'own'], TABLE);
  for (const seconds of [0, idle]) {
    await sleep(Math.max(0, readyAt + seconds * 1000 - performance.now()));
    printMemory(`after ${Math.round((performance.now() - readyAt) / 1000)} s`, service.process.pid);
  }
  return true;
}

/** What loading each part adds. */
interface LoadedPart {
  readonly name: string;
  /** Bytes. */
  readonly resident: number;
  /** Bytes of it that are not a mapped file. */
  readonly own: number;
  /** Milliseconds of processor time. */
  readonly ms: number;
}

async function printParts(rounds: number): Promise<void> {
  const loaded = new Map<string, LoadedPart[]>();
  for (let round = 0; round < rounds; round += 1) {
    const { stdout } = await run(process.execPath, [...HARDENING_OPTIONS, ...PART_OPTIONS, LOADED_PARTS]);
    for (const line of stdout.trim().split('\n')) {
      const part: LoadedPart = JSON.parse(line);
      loaded.set(part.name, [...(loaded.get(part.name) ?? []), part]);
    }
  }
  const columns = [40, 8, 8, 10] as const;
  printRow(['loaded at a start', 'RSS', 'own', 'processor'], columns);
  for (const [name, parts] of loaded) {
    const of = (field: 'resident' | 'own' | 'ms') => median(parts.map((part) => part[field]));
    const memory = [of('resident'), of('own')].map(formatMegabytes);
    printRow([name, ...memory, `${Math.round(of('ms'))} ms`], columns);
  }
}

/** User and system time of one node process; `times` of the shell counts its children (POSIX). */
async function processorSeconds(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const script = '"$@" > /dev/null 2>&1 || exit; times';
  const { stdout } = await run('/bin/sh', ['-c', script, 'sh', process.execPath, ...args], { env });
  const parts = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

/** Resident memory, and the part that is not a mapped file (proc_pid_status(5)). */
function printMemory(name: string, pid: number): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  printRow([name, formatMegabytes(bytes('VmRSS')), formatMegabytes(bytes('RssAnon'))], TABLE);
}

await runBounded(LIMIT_MS, measure);
