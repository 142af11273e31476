import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../tests/harness/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../../tests/harness/start-options.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Limits } from '../proof/limits.ts';
import { median, type Quantiles, quantiles } from '../proof/statistics.ts';
import { type Cleanup, numberArgument, runBounded } from '../run/bounded-run.ts';
import { formatMegabytes, formatMs, print, printRow } from '../run/print.ts';
import { accountName } from '../service/account-names.ts';
import { emptyPlace, type SizedService, startSized } from '../service/measured-service.ts';
import { residentBytes } from '../service/process-use.ts';
import {
  AccountMaker,
  formatCredentials,
  makeAccounts,
  replaceFile,
  type SealedAccount,
} from '../service/sealed-accounts.ts';

/*
 * Cost of many accounts, half ed25519, half eip191: start, memory, signing, reloads under load,
 * listing; one service process for each size, audit files in the temporary folder. Exit code 1 if a
 * limit is exceeded. Under five minutes.
 *
 * npm run measure -- accounts [--accounts 100000] [--helpers 4]
 *
 * --helpers: V8's worker threads (--v8-pool-size), by default the image's
 */

const LIMIT_MS = 290_000;
const FEW = 10;
const SIZES = [0, FEW, 1000, 10_000];
const DEFAULT_ACCOUNTS = 100_000;

const MAX_START_MS = 15_000;
const MAX_BYTES_PER_ACCOUNT = 4096;
const MIN_ACCOUNTS_FOR_MEMORY = 10_000;
const MAX_LATENCY_RATIO = 1.1;
const MAX_RELOAD_P99_MS = 50;
const MAX_RELOAD_MS = 5000;
const CHANGED_KEYS = 10_000;

const WARM_UP_CALLS_MS = 1500;
const SETTLE_MS = 3000;
const CALLERS = 2;
const PAIRS = 12;
const SLICE_MS = 700;
const PACE = 200;
const PAGE = 1000;

const AS_THE_IMAGE = 0;

const TABLE = [10, 10, 10, 14, 12] as const;
const limits = new Limits();

async function measure(cleanup: Cleanup): Promise<boolean> {
  const count = numberArgument('--accounts', DEFAULT_ACCOUNTS);
  const place = await emptyPlace();
  cleanup.add(() => place.remove());
  const load = new LoadProcess();
  cleanup.add(() => load.end());
  print(`Node ${process.version}, ${process.arch}; accounts half ed25519, half eip191, with sealed keys`);
  const accounts = makeAccounts(place.path('master.key'), count);

  print();
  printRow(['accounts', 'start s', 'RSS MB', 'bytes/account', 'signing p50'], TABLE);
  let empty = 0;
  const kept = new Map<number, SizedService>();
  for (const size of [...SIZES.filter((one) => one < count), count]) {
    const sized = await startBeside(place.folder, accounts.slice(0, size), cleanup);
    const rss = await steadyMemory(sized.service, load, size);
    if (size === 0) empty = rss.bytes;
    const perAccount = size >= 1000 ? String(Math.round((rss.bytes - empty) / size)) : '';
    const cells = [String(size), (sized.startMs / 1000).toFixed(2), (rss.bytes / 1e6).toFixed(0), perAccount, rss.p50];
    printRow(cells, TABLE);
    if (size !== count && size !== FEW) await sized.service.stop();
    else kept.set(size, sized);
    if (size !== count) continue;
    limits.below(`start with ${count} accounts`, sized.startMs, MAX_START_MS, 'ms');
    // For fewer accounts, garbage collection dominates.
    if (count < MIN_ACCOUNTS_FOR_MEMORY) continue;
    const perOne = (rss.bytes - empty) / size;
    limits.below('memory above an empty service', perOne, MAX_BYTES_PER_ACCOUNT, 'bytes per account');
  }

  const [few, many] = [kept.get(FEW), kept.get(count)];
  if (many === undefined) throw new Error('The largest service did not start.');
  if (few !== undefined) await compareLatency(few.service, many.service, count, load);
  await few?.service.stop();
  await listAll(many.service, count);
  await reloadUnderLoad(many, accounts, load);
  print('\nLimits');
  limits.print();
  return limits.allHold;
}

/** Each service has its own folder; they share the master key. */
async function startBeside(
  folder: string,
  accounts: readonly SealedAccount[],
  cleanup: Cleanup,
): Promise<SizedService> {
  const place = await emptyPlace({ SIGNING_MASTER_KEY_FILE: `${folder}/master.key` });
  cleanup.add(() => place.remove());
  const helpers = numberArgument('--helpers', AS_THE_IMAGE);
  if (helpers !== AS_THE_IMAGE) place.launcher = withNodeOptions(...START_OPTIONS, `--v8-pool-size=${helpers}`);
  return startSized(place, accounts);
}

/** Resident memory after signing and a rest, without forced garbage collection. */
async function steadyMemory(service: ServiceProcess, load: LoadProcess, size: number) {
  const target = { port: getPort(service), ca: null };
  const job = { target, pace: { callers: CALLERS }, batches: null, retries: 0, reportsReplies: false } as const;
  const signing = size === 0 ? null : await load.measure({ ...job, accounts: { count: size }, ms: WARM_UP_CALLS_MS });
  if (signing === null) {
    // Without accounts: requests that fail at the lookup.
    load.start({ ...job, accounts: { count: 1 }, ms: WARM_UP_CALLS_MS }, () => undefined);
    await load.ended();
  }
  await sleep(SETTLE_MS);
  return { bytes: residentBytes(service.process.pid), p50: signing === null ? '' : formatMs(quantiles(signing).p50) };
}

async function compareLatency(few: ServiceProcess, many: ServiceProcess, count: number, load: LoadProcess) {
  const slice = (service: ServiceProcess, size: number) =>
    load.measure({
      target: { port: getPort(service), ca: null },
      accounts: { count: size },
      pace: { callers: CALLERS },
      batches: null,
      retries: 0,
      reportsReplies: false,
      ms: SLICE_MS,
    });
  const ofFew: number[][] = [];
  const ofMany: number[][] = [];
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const [left, right] = [await slice(few, FEW), await slice(many, count)];
    // The first pair warms up.
    if (pair === 0) continue;
    ofFew.push([...left]);
    ofMany.push([...right]);
  }
  print(`\nOne signature, ${CALLERS} callers, in ${PAIRS} turns of ${SLICE_MS} ms each`);
  printLatency(`${FEW} accounts`, quantiles(ofFew.flat()));
  printLatency(`${count} accounts`, quantiles(ofMany.flat()));
  const ratios = ofMany.map((right, index) => quantiles(right).p50 / quantiles(ofFew[index] ?? []).p50);
  const p99Ratio = quantiles(ofMany.flat()).p99 / quantiles(ofFew.flat()).p99;
  print(`  ${count} ÷ ${FEW}: p50 ${median(ratios).toFixed(3)} (median of the pairs), p99 ${p99Ratio.toFixed(3)}`);
  limits.below(`p50 of signing with ${count} accounts ÷ with ${FEW}`, median(ratios), MAX_LATENCY_RATIO, '');
}

async function reloadUnderLoad(many: SizedService, accounts: readonly SealedAccount[], load: LoadProcess) {
  print(`\nReloads of ${accounts.length} accounts while ${PACE} signatures a second are asked for`);
  const maker = new AccountMaker(many.place.environment['SIGNING_MASTER_KEY_FILE'] ?? '');
  const some = Math.min(CHANGED_KEYS, accounts.length);
  const renewed = (changed: number) =>
    accounts.map((account, number) => (number < changed ? maker.make(accountName(number)) : account));
  const rounds = [
    { name: 'nothing changed', changed: 0, accounts },
    { name: `${some} keys changed`, changed: some, accounts: renewed(some) },
    { name: 'every key changed', changed: accounts.length, accounts: renewed(accounts.length) },
  ];
  maker.close();
  for (const round of rounds) {
    replaceFile(many.place.path('credentials.json'), formatCredentials(round.accounts));
    const { ms, latency } = await reloadOnce(many.service, accounts.length, load);
    print(`  ${round.name.padEnd(24)} ${(ms / 1000).toFixed(2)} s`);
    printLatency('  signing meanwhile', latency);
    const maxMs = MAX_RELOAD_MS * Math.max(1, round.changed / CHANGED_KEYS);
    limits.below(`reload, ${round.name}`, ms, maxMs, 'ms');
    limits.below(`p99 of signing during a reload, ${round.name}`, latency.p99, MAX_RELOAD_P99_MS, 'ms');
  }
}

async function reloadOnce(service: ServiceProcess, count: number, load: LoadProcess) {
  const calls: (readonly [number, number])[] = [];
  const failures: string[] = [];
  const target = { port: getPort(service), ca: null };
  const job = { target, accounts: { count }, batches: null, retries: 0, reportsReplies: false, ms: LIMIT_MS };
  load.start({ ...job, pace: { perSecond: PACE } }, (report) => {
    calls.push(...report.latencies);
    failures.push(...report.failures);
  });
  await sleep(1000);
  const [from, startedAt] = [performance.now(), Date.now()];
  const { status, body } = await service.post('/config/reload');
  const [ms, endedAt] = [performance.now() - from, Date.now()];
  await load.stop();
  if (status !== 200) throw new Error(`The reload was answered ${status} ${JSON.stringify(body)}`);
  if (failures.length > 0) throw new Error(`${failures.length} calls failed, the first with ${failures[0]}`);
  const during = calls.filter(([sentAt, took]) => sentAt + took >= startedAt && sentAt <= endedAt);
  return { ms, latency: quantiles(during.map(([, took]) => took)) };
}

async function listAll(service: ServiceProcess, count: number): Promise<void> {
  print('\nListing');
  const [from, { body }] = [performance.now(), await service.get('/accounts')];
  const ms = performance.now() - from;
  print(`  all ${body.data.total} in one answer     ${formatMs(ms)}, ${formatMegabytes(JSON.stringify(body).length)}`);
  if (body.data.total !== count) throw new Error(`${count} accounts were to be listed.`);
  await listPages(service, count);
}

async function listPages(service: ServiceProcess, count: number): Promise<void> {
  const times: number[] = [];
  let [cursor, listed]: [string | undefined, number] = ['', 0];
  while (cursor !== undefined) {
    const from = performance.now();
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await service.get(`/accounts?limit=${PAGE}${after}`);
    times.push(performance.now() - from);
    listed += body.data.accounts.length;
    cursor = body.data.nextCursor ?? undefined;
  }
  const { p50, max } = quantiles(times);
  print(`  by pages of ${PAGE}: ${times.length} pages, ${formatMs(p50)} each (${formatMs(max)} at most)`);
  if (listed !== count) throw new Error(`The pages had ${listed} accounts of ${count}.`);
}

function printLatency(name: string, { p50, p99, max }: Quantiles): void {
  print(`  ${name.padEnd(24)} p50 ${formatMs(p50)}   p99 ${formatMs(p99)}   max ${formatMs(max)}`);
}

function getPort({ url }: ServiceProcess): number {
  return Number(new URL(url).port);
}

await runBounded(LIMIT_MS, measure);
