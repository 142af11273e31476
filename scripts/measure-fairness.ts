import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Workplace } from '../tests/e2e/service-process.ts';
import { quantiles } from './measured-latencies.ts';
import { startQuietService } from './quiet-service.ts';
import type { Slice, SliceResult } from './signing-callers.ts';

/*
 * Whether big batches hold up single callers: latency of single signatures alone, and beside 4 connections that send batches of 1000 without pause, all of ed25519. The service, the single callers and the
 * callers of batches are processes of their own. Once at a set rate, twice that of the specification, and once with 16 callers who call again as soon as they have their answer. Ends with exit code 1 when the
 * p99 of singles beside batches is 50 ms or more. Less than 40 seconds.
 *
 * npm run measure:fairness
 */

const SLICE_MS = 7000;
const WARM_UP_MS = 1500;
const SINGLE_CALLERS = 16;
const BATCH_CALLERS = 4;
const ITEMS = 1000;
const PACED_MS = (1000 * SINGLE_CALLERS) / 200;
const MOST_P99_MS = 50;

interface Measured {
  readonly singles: SliceResult;
  readonly batches: SliceResult | null;
}

function startCallers(): ChildProcess {
  return fork(resolve(import.meta.dirname, 'signing-callers.ts'), { execArgv: ['--import', 'tsx'] });
}

async function runSlice(callers: ChildProcess, slice: Slice): Promise<SliceResult> {
  const told = once(callers, 'message');
  callers.send(slice);
  const [result] = (await told) as [SliceResult];
  if (result.failures > 0) throw new Error(`${result.failures} calls got no signature.`);
  return result;
}

async function measure(port: number, single: ChildProcess, batch: ChildProcess): Promise<boolean> {
  const run = async (name: string, everyMs: number, withBatches: boolean, ms = SLICE_MS): Promise<number> => {
    const batching = withBatches ? runSlice(batch, { port, ms, callers: BATCH_CALLERS, items: ITEMS }) : null;
    const singles = await runSlice(single, { port, ms, callers: SINGLE_CALLERS, everyMs });
    const measured = { singles, batches: await batching };
    if (name !== '') printRow(name, measured);
    return quantiles(singles.latencies).p99;
  };
  await run('', 0, true, WARM_UP_MS);
  await run('200/s alone', PACED_MS, false);
  const paced = await run('200/s beside batches', PACED_MS, true);
  await run(`${SINGLE_CALLERS} callers alone`, 0, false);
  const unpaced = await run(`${SINGLE_CALLERS} callers beside batches`, 0, true);
  return Math.max(paced, unpaced) < MOST_P99_MS;
}

function printRow(name: string, { singles, batches }: Measured): void {
  const { p50, p99, max } = quantiles(singles.latencies);
  const perSecond = (result: SliceResult) => (result.latencies.length / result.ms) * 1000;
  const beside = batches === null ? '' : perSecond(batches).toFixed(1);
  const cells = [p50.toFixed(1), p99.toFixed(1), max.toFixed(1), perSecond(singles).toFixed(0), beside];
  print(`  ${name.padEnd(26)}${cells.map((cell) => cell.padStart(11)).join('')}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const place = new Workplace();
const callers = [startCallers(), startCallers()] as const;
try {
  const service = await startQuietService(place);
  print(`Node ${process.version}, ${process.arch}; ${BATCH_CALLERS} connections with batches of ${ITEMS}\n`);
  const names = ['p50 ms', 'p99 ms', 'max ms', 'singles/s', 'batches/s'];
  print(`  ${'singles'.padEnd(26)}${names.map((name) => name.padStart(11)).join('')}`);
  const isFair = await measure(Number(new URL(service.url).port), ...callers);
  print(`\n  p99 of singles beside batches ${isFair ? 'stays' : 'DOES NOT STAY'} under ${MOST_P99_MS} ms`);
  if (!isFair) process.exitCode = 1;
} finally {
  for (const child of callers) child.kill();
  await place.remove();
}
