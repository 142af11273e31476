import { connect } from 'node:net';
import { type Load, LoadProcess } from '../load/load-process.ts';
import { Limits } from '../proof/limits.ts';
import { type Quantiles, quantiles } from '../proof/statistics.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { print, printRow } from '../run/print.ts';
import { type BenchService, makeInstallation, startBenchService } from '../service/bench-service.ts';
import { makeAccounts } from '../service/sealed-accounts.ts';

/*
 * Latency of single ed25519 signatures alone, beside 4 callers that send batches of 1000, and beside
 * 4 connections that send endless bodies to an unknown path: at 200 a second, twice the specified
 * rate, and with 16 callers in a closed loop. Exit code 1 if the p99 beside others reaches 50 ms.
 * Under a minute.
 *
 * npm run measure -- fairness
 */

const SLICE_MS = 7000;
const WARM_UP_MS = 1500;
const ITEMS = 1000;
const MAX_P99_MS = 50;
const LIMIT_MS = 150_000;
const ACCOUNTS = 1000;
const COLUMNS = [33, 9, 9, 9, 11, 11] as const;

type Pace = Load['pace'];

const PACES: readonly (readonly [words: string, pace: Pace])[] = [
  ['200/s', { perSecond: 200 }],
  ['16 callers', { callers: 16 }],
];

async function measure(cleanup: Cleanup): Promise<boolean> {
  const { place, accounts } = await makeInstallation(cleanup, (file) => makeAccounts(file, ACCOUNTS));
  const ed25519 = accounts.flatMap(({ algorithm }, number) => (algorithm === 'ed25519' ? [number] : []));
  const service = await startBenchService({ place }, cleanup);
  const callers = [new LoadProcess(), new LoadProcess()] as const;
  for (const one of callers) cleanup.add(() => one.end());
  const [singles, batches] = callers;

  const others: { readonly [Name in Others]: (load: Load) => Promise<number> } = {
    nobody: async () => 0,
    batches: async (load) => {
      const beside = { ...load, pace: { callers: 4 }, batches: { every: 1, size: ITEMS } };
      return (await batches.measure(beside)).length;
    },
    'refused bodies': async ({ target, ms }) => {
      const pushed = Array.from({ length: 4 }, () => pushRefusedBodies(target.port, ms));
      return (await Promise.all(pushed)).reduce((sum, bodies) => sum + bodies, 0);
    },
  };

  const run = async (pace: Pace, besides: Others, ms = SLICE_MS): Promise<Measured> => {
    const load = toLoad(service, ed25519, ms);
    const beside = others[besides](load);
    const latencies = await singles.measure({ ...load, pace });
    const perSecond = (count: number) => (count / ms) * 1000;
    const singlesPerSecond = perSecond(latencies.length);
    return { ...quantiles(latencies), singlesPerSecond, othersPerSecond: perSecond(await beside) };
  };

  await run({ callers: 16 }, 'batches', WARM_UP_MS);
  printRow(['singles', 'p50 ms', 'p99 ms', 'max ms', 'singles/s', 'others/s'], COLUMNS);
  const limits = new Limits();
  for (const [words, pace] of PACES) {
    for (const name of ['nobody', 'batches', 'refused bodies'] as const) {
      const measured = await run(pace, name);
      printMeasured(`${words} beside ${name}`, measured);
      if (name === 'nobody') continue;
      limits.below(`p99 of singles, ${words}, beside ${name}`, measured.p99, MAX_P99_MS, 'ms');
    }
  }
  print();
  limits.print();
  return limits.allHold;
}

type Others = 'nobody' | 'batches' | 'refused bodies';

interface Measured extends Quantiles {
  readonly singlesPerSecond: number;
  /** Batches, or responses to refused bodies. */
  readonly othersPerSecond: number;
}

/**
 * Sends endless bodies to an unknown path, as fast as the service reads, one after the other.
 * @returns responses
 */
async function pushRefusedBodies(port: number, ms: number): Promise<number> {
  const until = performance.now() + ms;
  const head = `POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 ** 40}\r\n\r\n`;
  const piece = Buffer.alloc(65_536);
  let responses = 0;
  while (performance.now() < until) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const push = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    const timer = setTimeout(() => socket.destroy(), until - performance.now());
    socket.on('drain', push).write(head);
    push();
    await new Promise<void>((resolve) => {
      socket.once('close', resolve).on('data', (text) => {
        responses += 1;
        if (text.includes('Connection: close')) socket.destroy();
      });
    });
    clearTimeout(timer);
  }
  return responses;
}

function toLoad({ url }: BenchService, accounts: readonly number[], ms: number): Load {
  const target = { port: Number(new URL(url).port), ca: null };
  return { target, accounts, pace: { callers: 1 }, batches: null, retries: 0, reportsReplies: false, ms };
}

function printMeasured(words: string, { p50, p99, max, singlesPerSecond, othersPerSecond }: Measured): void {
  const rates = [singlesPerSecond.toFixed(0), othersPerSecond.toFixed(1)];
  printRow([words, ...[p50, p99, max].map((ms) => ms.toFixed(1)), ...rates], COLUMNS);
}

await runBounded(LIMIT_MS, measure);
