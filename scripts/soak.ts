import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadProcess } from './load/load-process.ts';
import { Limits } from './proof/limits.ts';
import { findMinima, measureTrend, quantiles, type Sample } from './proof/statistics.ts';
import { type Cleanup, numberArgument, runBounded } from './run/bounded-run.ts';
import { formatMegabytes, formatMs, print, printRow } from './run/print.ts';
import { build } from './run/programs.ts';
import { emptyPlace, startSized } from './service/measured-service.ts';
import { residentBytes } from './service/process-use.ts';
import { makeAccounts } from './service/sealed-accounts.ts';

/*
 * Signs at ten times the specified rate for ten minutes, for 1,000 accounts, with rotating audit
 * files; prints results every 30 seconds. Exit code 1 if a request fails, the rate drops, or memory
 * rises by more than a tenth over the last two thirds, by regression through its minima.
 *
 * npm run soak [-- --minutes 10 --rate 1000]
 */

const MINUTES = 10;
const RATE = 1000;
const ACCOUNTS = 1000;
const WARM_UP_MS = 5000;
const SAMPLE_MS = 1000;
const REPORT_MS = 30_000;
const ROTATE_BYTES = 16 * 2 ** 20;
const KEPT_FILES = 3;

const MAX_RISE = 0.1;
/** Windows for memory minima. */
const TROUGHS = 30;
/** Memory needs this long to settle. */
const MIN_MINUTES = 5;
const MIN_RATE_SHARE = 0.98;
const TABLE = [8, 10, 9, 9, 9, 8, 8] as const;

const minutes = numberArgument('--minutes', MINUTES);
const rate = numberArgument('--rate', RATE);

async function soak(cleanup: Cleanup): Promise<boolean> {
  const place = await emptyPlace({
    SIGNING_AUDIT_ROTATE_BYTES: String(ROTATE_BYTES),
    SIGNING_AUDIT_KEEP_FILES: String(KEPT_FILES),
  });
  cleanup.add(() => place.remove());
  const load = new LoadProcess();
  cleanup.add(() => load.end());
  const accounts = makeAccounts(place.path('master.key'), ACCOUNTS);
  const { service } = await startSized(place, accounts);
  const job = {
    target: { port: Number(new URL(service.url).port), ca: null },
    accounts: { count: ACCOUNTS },
    batches: null,
    retries: 0,
    reportsReplies: false,
  };
  await load.measure({ ...job, pace: { perSecond: rate / 2 }, ms: WARM_UP_MS });

  print(
    `${rate} signatures/s for ${minutes} minutes, ${ACCOUNTS} accounts; audit files of ${formatMegabytes(ROTATE_BYTES)}\n`,
  );
  printRow(['time', 'answers/s', 'p50', 'p99', 'max', 'errors', 'RSS'], TABLE);
  const memory: Sample[] = [];
  const errors: string[] = [];
  let latencies: number[] = [];
  let responses = 0;
  const rotations = new Set<string>();
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  let reportedAt = begin;
  const sample = () => {
    memory.push({ at: seconds(), value: residentBytes(service.process.pid) });
    for (const name of readdirSync(place.folder)) if (/^audit\.\d+-\d+\.jsonl$/.test(name)) rotations.add(name);
    if (performance.now() - reportedAt < REPORT_MS) return;
    const { p50, p99, max } = quantiles(latencies);
    const perSecond = (latencies.length / (performance.now() - reportedAt)) * 1000;
    const rss = formatMegabytes(memory.at(-1)?.value ?? 0);
    const cells = [perSecond.toFixed(0), formatMs(p50), formatMs(p99), formatMs(max), String(errors.length), rss];
    printRow([`${seconds().toFixed(0)} s`, ...cells], TABLE);
    [latencies, reportedAt] = [[], performance.now()];
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  cleanup.add(() => clearInterval(sampling));
  load.start({ ...job, pace: { perSecond: rate }, ms: minutes * 60_000 }, (report) => {
    latencies.push(...report.latencies.map(([, ms]) => ms));
    responses += report.latencies.length;
    errors.push(...report.failures);
  });
  await load.ended();
  clearInterval(sampling);
  const took = seconds();
  await sleep(SAMPLE_MS);
  const { exitCode } = await service.stop();

  const { spread, mean } = measureTrend(memory);
  const { rise } = measureTrend(findMinima(memory, (minutes * 60) / TROUGHS));
  print(`\n${responses} answers in ${took.toFixed(0)} s; ${rotations.size} audit files rotated; exit code ${exitCode}`);
  print(
    `Memory over the last two thirds: mean ${formatMegabytes(mean)}, between least and most ${formatMegabytes(spread)}`,
  );
  for (const error of errors.slice(0, 5)) print(`- ${error}`);
  const limits = new Limits();
  limits.below('failed requests', errors.length, 1, '');
  limits.below('calls that were not made', 1 - responses / (rate * minutes * 60), 1 - MIN_RATE_SHARE, 'of 1');
  if (minutes < MIN_MINUTES)
    print(`Rise of the memory: ${formatMegabytes(rise)}; to judge it has ${MIN_MINUTES} minutes`);
  else limits.below('rise of memory over the last two thirds', rise / 1e6, (mean * MAX_RISE) / 1e6, 'MB');
  limits.print();
  return limits.allHold && exitCode === 0;
}

process.exitCode = await build();
if (process.exitCode === 0) await runBounded((minutes + 1) * 60_000, soak);
