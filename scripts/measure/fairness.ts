import { type Load, LoadProcess } from '../load/load-process.ts';
import { Limits } from '../proof/limits.ts';
import { type Quantiles, quantiles } from '../proof/statistics.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { print, printRow } from '../run/print.ts';
import { type BenchService, makeInstallation, startBenchService } from '../service/bench-service.ts';
import { makeAccounts } from '../service/sealed-accounts.ts';

/*
 * Latency of single ed25519 signatures alone and beside 4 callers that send batches of 1000: at 200
 * a second, twice the specified rate, and with 16 callers in a closed loop. Exit code 1 if the p99
 * beside batches reaches 50 ms. Under 40 seconds.
 *
 * npm run measure -- fairness
 */

const SLICE_MS = 7000;
const WARM_UP_MS = 1500;
const ITEMS = 1000;
const MAX_P99_MS = 50;
const LIMIT_MS = 120_000;
const ACCOUNTS = 1000;
const COLUMNS = [26, 9, 9, 9, 11, 11] as const;

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

  const run = async (pace: Pace, isBeside: boolean, ms = SLICE_MS): Promise<Measured> => {
    const load = toLoad(service, ed25519, ms);
    const beside = isBeside
      ? batches.measure({ ...load, pace: { callers: 4 }, batches: { every: 1, size: ITEMS } })
      : null;
    const latencies = await singles.measure({ ...load, pace });
    const perSecond = (count: number) => (count / ms) * 1000;
    const batchesPerSecond = beside === null ? null : perSecond((await beside).length);
    return { ...quantiles(latencies), singlesPerSecond: perSecond(latencies.length), batchesPerSecond };
  };

  await run({ callers: 16 }, true, WARM_UP_MS);
  printRow(['singles', 'p50 ms', 'p99 ms', 'max ms', 'singles/s', 'batches/s'], COLUMNS);
  const limits = new Limits();
  for (const [words, pace] of PACES) {
    printMeasured(`${words} alone`, await run(pace, false));
    const beside = await run(pace, true);
    printMeasured(`${words} beside batches`, beside);
    limits.below(`p99 of singles, ${words}, beside batches of ${ITEMS}`, beside.p99, MAX_P99_MS, 'ms');
  }
  print();
  limits.print();
  return limits.allHold;
}

interface Measured extends Quantiles {
  readonly singlesPerSecond: number;
  readonly batchesPerSecond: number | null;
}

function toLoad({ url }: BenchService, accounts: readonly number[], ms: number): Load {
  const target = { port: Number(new URL(url).port), ca: null };
  return { target, accounts, pace: { callers: 1 }, batches: null, retries: 0, reportsReplies: false, ms };
}

function printMeasured(words: string, { p50, p99, max, singlesPerSecond, batchesPerSecond }: Measured): void {
  const rates = [singlesPerSecond.toFixed(0), batchesPerSecond?.toFixed(1) ?? ''];
  printRow([words, ...[p50, p99, max].map((ms) => ms.toFixed(1)), ...rates], COLUMNS);
}

await runBounded(LIMIT_MS, measure);
