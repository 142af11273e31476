import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { recordFlags } from '../src/adapters/driven/audit-sink/record-flags.ts';
import { createContainer } from '../src/composition/container.ts';
import { startService } from '../src/composition/running-service.ts';
import { readSettings } from '../src/composition/settings.ts';
import { TOKENS } from '../src/composition/tokens.ts';
import type { AuditEntry } from '../src/domain/model/audit-entry.ts';
import type { AuditHead, AuditSink } from '../src/ports/audit-sink.ts';
import type { UsageLedger } from '../src/ports/usage-ledger.ts';
import { settingsIn } from '../tests/e2e/settings-in.ts';
import type { SliceResult } from './signing-callers.ts';

/*
 * What the audit record costs: signatures a second of the whole service over HTTP on loopback, with 64 callers in a process of their own, with the audit file and with a sink that acknowledges at once;
 * in turns within one run, so that a noisy moment hits both alike. Beside it how many records a second the disk itself makes durable, written as the service writes them. About half a minute.
 *
 * npm run measure:audit [-- folder]; the audit file lies in that folder, by default in the system's folder for temporary files.
 */

const ROOT = resolve(import.meta.dirname, '..');
const WARM_UP_MS = 2000;
const SLICE_MS = 1000;
const PAIRS = 9;
const DISK_MS = 1500;
const GROUP = 64;
const LINE_BYTES = 800;
const NEWLINE = 0x0a;

/** What came of a slice, and how busy the service's event loop was, 0 to 1: near 1 it was the service that was measured, and not its callers. */
interface MeasuredSlice extends SliceResult {
  readonly busy: number;
}

/** The service's own sink, and in its place one that acknowledges at once. */
class SwitchedSink implements AuditSink {
  readonly facts = {};
  readonly available = true;
  readonly checkpoint = null;
  readonly #sink: AuditSink;
  readonly #usage: UsageLedger;
  isOn = true;

  constructor(sink: AuditSink, usage: UsageLedger) {
    this.#sink = sink;
    this.#usage = usage;
  }

  get head(): AuditHead {
    return this.#sink.head;
  }

  get queued(): number {
    return this.#sink.queued;
  }

  async append(entry: AuditEntry): Promise<void> {
    if (this.isOn) return this.#sink.append(entry);
    this.#usage.count(entry);
  }

  probe(): Promise<string | null> {
    return this.#sink.probe();
  }

  reopen(): Promise<void> {
    return this.#sink.reopen();
  }

  close(): Promise<void> {
    return this.#sink.close();
  }
}

function configure(folder: string): { readonly [name: string]: string } {
  const environment = settingsIn(folder);
  for (const command of [
    ['init'],
    ['platform', 'add', '--platform', 'alpha', '--format', 'any'],
    ['account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519'],
  ]) {
    execFileSync(process.execPath, ['--import', 'tsx', join(ROOT, 'src/cli.ts'), ...command], {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return environment;
}

async function runSlice(callers: ChildProcess, url: string, ms: number): Promise<MeasuredSlice> {
  const told = once(callers, 'message');
  const before = performance.eventLoopUtilization();
  callers.send({ port: Number(new URL(url).port), ms });
  const [result] = (await told) as [SliceResult];
  if (result.failures > 0) throw new Error(`${result.failures} calls got no signature.`);
  return { ...result, busy: performance.eventLoopUtilization(before).utilization };
}

async function measureService(folder: string): Promise<void> {
  const settings = readSettings(configure(folder));
  const container = createContainer(settings);
  const sink = new SwitchedSink(await container.getAsync(TOKENS.AuditSink), container.get(TOKENS.UsageLedger));
  container.rebind(TOKENS.AuditSink).toConstantValue(sink);
  const service = await startService(settings, container);
  const callers = fork(join(ROOT, 'scripts/signing-callers.ts'), { execArgv: ['--import', 'tsx'] });
  const [on, off]: [MeasuredSlice[], MeasuredSlice[]] = [[], []];
  const slice = (isOn: boolean, ms: number) => {
    sink.isOn = isOn;
    return runSlice(callers, service.url, ms);
  };
  try {
    for (const isOn of [true, false]) await slice(isOn, WARM_UP_MS);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      on.push(await slice(true, SLICE_MS));
      off.push(await slice(false, SLICE_MS));
    }
  } finally {
    callers.kill();
    await service.stop();
  }
  const signatures = on.reduce((sum, { latencies }) => sum + latencies.length, 0);
  const records = readFileSync(settings.auditFile).filter((byte) => byte === NEWLINE).length;
  if (records < signatures) throw new Error(`${signatures} signatures with audit on, and only ${records} records.`);
  printRates('audit on', on);
  printRates('audit off', off);
  const ratios = on.map((result, index) => rate(result) / rate(off[index] as SliceResult));
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  print(
    `\n  on ÷ off: ${median(ratios).toFixed(2)} (median of ${PAIRS} pairs, ${least.toFixed(2)} to ${most.toFixed(2)})`,
  );
}

/** Groups of lines, each durable before the next is written. */
async function measureDisk(folder: string): Promise<void> {
  const path = join(folder, 'disk.jsonl');
  const file = await open(path, recordFlags(path) | constants.O_CREAT, 0o600);
  const group = Buffer.from(`${'x'.repeat(LINE_BYTES - 1)}\n`.repeat(GROUP));
  const begin = performance.now();
  let groups = 0;
  while (performance.now() - begin < DISK_MS) {
    await file.write(group);
    groups += 1;
  }
  const seconds = (performance.now() - begin) / 1000;
  await file.close();
  print(
    `  the disk alone: ${Math.round((groups * GROUP) / seconds)} records/s in groups of ${GROUP} (${Math.round(groups / seconds)} synchronous writes/s)`,
  );
}

function printRates(name: string, results: readonly MeasuredSlice[]): void {
  const latencies = results.flatMap((result) => result.latencies).toSorted((left, right) => left - right);
  const at = (part: number) => `${(latencies[Math.floor(latencies.length * part)] ?? Number.NaN).toFixed(1)} ms`;
  const perSecond = Math.round(median(results.map(rate)));
  const busy = `event loop ${Math.round(median(results.map((result) => result.busy)) * 100)} % busy`;
  print(
    `  ${name.padEnd(10)} ${String(perSecond).padStart(6)} signatures/s   p50 ${at(0.5)}   p99 ${at(0.99)}   ${busy}`,
  );
}

function rate({ latencies, ms }: SliceResult): number {
  return (latencies.length / ms) * 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'signing-service-measure-'));
try {
  print(`Node ${process.version}, ${process.arch}; ${GROUP} callers, ed25519, slices of ${SLICE_MS} ms in turns\n`);
  await measureService(folder);
  await measureDisk(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
