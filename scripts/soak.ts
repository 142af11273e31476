import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadProcess } from './load/load-process.ts';
import { flatnessOf, type Sample, troughsOf } from './proof/flatness.ts';
import { Limits } from './proof/limits.ts';
import { quantiles } from './proof/quantiles.ts';
import { type Cleanup, numberArgument, runBounded } from './stage/bounded-run.ts';
import { makeAccounts } from './stage/many-accounts.ts';
import { megabytes, msText, print, printRow } from './stage/print.ts';
import { build } from './stage/run-program.ts';
import { emptyPlace, residentBytes, startSized } from './stage/sized-service.ts';

/*
 * Signs at ten times the rate of the specification for ten minutes, singly, for 1,000 accounts, with the audit file on the disk and rotated every few seconds, and prints every 30 seconds what came of it. Exit code 1
 * when a request failed, the rate was not kept, or the memory of the service was not flat over the last two thirds of the time: by the regression line through its lowest points it may rise by a tenth at the most.
 *
 * npm run soak [-- --minutes 10 --rate 1000]
 */

const MINUTES = 10;
const RATE = 1000;
const ACCOUNTS = 1000;
const WARM_UP_MS = 5000;
const SAMPLE_MS = 1000;
const TOLD_EVERY_MS = 30_000;
const ROTATE_BYTES = 16 * 2 ** 20;
const KEPT_FILES = 3;

const MOST_RISE = 0.1;
/** Parts of the time, of each of which the least memory counts. */
const TROUGHS = 30;
/** In less the memory has not settled. */
const LEAST_MINUTES = 5;
const LEAST_OF_RATE = 0.98;
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
    tellsReplies: false,
  };
  await load.measure({ ...job, pace: { perSecond: rate / 2 }, ms: WARM_UP_MS });

  print(
    `${rate} signatures/s for ${minutes} minutes, ${ACCOUNTS} accounts; audit files of ${megabytes(ROTATE_BYTES)}\n`,
  );
  printRow(['time', 'answers/s', 'p50', 'p99', 'max', 'errors', 'RSS'], TABLE);
  const memory: Sample[] = [];
  const errors: string[] = [];
  let latencies: number[] = [];
  let answers = 0;
  const rotations = new Set<string>();
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  let toldAt = begin;
  const sample = () => {
    memory.push({ at: seconds(), value: residentBytes(service.process.pid) });
    for (const name of readdirSync(place.folder)) if (/^audit\.\d+-\d+\.jsonl$/.test(name)) rotations.add(name);
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    const { p50, p99, max } = quantiles(latencies);
    const perSecond = (latencies.length / (performance.now() - toldAt)) * 1000;
    const rss = megabytes(memory.at(-1)?.value ?? 0);
    const cells = [perSecond.toFixed(0), msText(p50), msText(p99), msText(max), String(errors.length), rss];
    printRow([`${seconds().toFixed(0)} s`, ...cells], TABLE);
    [latencies, toldAt] = [[], performance.now()];
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  cleanup.add(() => clearInterval(sampling));
  load.start({ ...job, pace: { perSecond: rate }, ms: minutes * 60_000 }, (report) => {
    latencies.push(...report.latencies.map(([, ms]) => ms));
    answers += report.latencies.length;
    errors.push(...report.failures);
  });
  await load.ended();
  clearInterval(sampling);
  const took = seconds();
  await sleep(SAMPLE_MS);
  const { exitCode } = await service.stop();

  const { spread, mean } = flatnessOf(memory);
  const { rise } = flatnessOf(troughsOf(memory, (minutes * 60) / TROUGHS));
  print(`\n${answers} answers in ${took.toFixed(0)} s; ${rotations.size} audit files rotated; exit code ${exitCode}`);
  print(`Memory over the last two thirds: mean ${megabytes(mean)}, between least and most ${megabytes(spread)}`);
  for (const error of errors.slice(0, 5)) print(`- ${error}`);
  const limits = new Limits();
  limits.below('failed requests', errors.length, 1, '');
  limits.below('calls that were not made', 1 - answers / (rate * minutes * 60), 1 - LEAST_OF_RATE, 'of 1');
  if (minutes < LEAST_MINUTES)
    print(`Rise of the memory: ${megabytes(rise)}; to judge it takes ${LEAST_MINUTES} minutes`);
  else limits.below('rise of memory over the last two thirds', rise / 1e6, (mean * MOST_RISE) / 1e6, 'MB');
  limits.print();
  return limits.allHold && exitCode === 0;
}

process.exitCode = await build();
if (process.exitCode === 0) await runBounded((minutes + 1) * 60_000, soak);
