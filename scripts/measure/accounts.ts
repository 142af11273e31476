import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  AccountMaker,
  accountName,
  formatCredentials,
  makeAccounts,
  replaceFile,
  type SealedAccount,
} from '../../tests/harness/generated-accounts.ts';
import { imagePlace, ready } from '../../tests/harness/image-service.ts';
import { formatMs, print } from '../../tests/harness/print.ts';
import { residentBytes } from '../../tests/harness/process-use.ts';
import type { ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { Load, type Pace } from '../load/load.ts';
import { randomRequests, type SigningRequest } from '../load/signing-requests.ts';
import { formatQuantiles, median, type Quantiles, quantiles } from '../load/statistics.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { Limits } from './limits.ts';

/*
 * Cost of many accounts, half ed25519, half eip191: start, memory, signing, reloads under load;
 * one service process for each size, audit files in the temporary folder. Exit code 1 if a
 * limit is exceeded. Under five minutes.
 *
 * npm run measure -- accounts [--accounts 100000]
 */

const LIMIT_MS = 290_000;
const FEW = 10;
const DEFAULT_ACCOUNTS = '100000';

const MAX_START_MS = 15_000;
const MAX_BYTES_PER_ACCOUNT = 4096;
const MIN_ACCOUNTS_FOR_MEMORY = 10_000;
const MAX_LATENCY_RATIO = 1.1;
const MAX_RELOAD_P99_MS = 50;
const MAX_RELOAD_MS = 5000;
const CHANGED_KEYS = 10_000;

const WARM_UP_CALLS_MS = 1500;
const SETTLE_MS = 3000;
const CALLERS: Pace = { callers: 2 };
const RELOAD_PACE: Pace = { perSecond: 200 };
const REQUESTS = 20_000;
const PAIRS = 12;
const SLICE_MS = 700;

/** A service with many accounts and a load of signatures by random ones. */
interface SizedService {
  readonly place: Workplace;
  readonly service: ServiceProcess;
  readonly load: Load<SigningRequest>;
  /** From the start of the process to readiness, milliseconds. */
  readonly startMs: number;
  /** Resident memory after signing and a rest, without forced garbage collection. */
  readonly bytes: number;
}

const limits = new Limits();

async function measure(cleanup: Cleanup): Promise<boolean> {
  const { values } = parseArgs({ options: { accounts: { type: 'string', default: DEFAULT_ACCOUNTS } } });
  const count = Number(values.accounts);
  const keys = await imagePlace();
  cleanup.add(() => keys.remove());
  const masterKeyFile = keys.path('master.key');
  const accounts = makeAccounts(masterKeyFile, count);
  print(`Node ${process.version}, ${process.arch}; ${count} accounts with sealed keys`);
  const start = (size: number) => startSized(masterKeyFile, accounts.slice(0, size), cleanup);
  const [few, many] = [await start(FEW), await start(count)];
  limits.below(`start with ${count} accounts`, many.startMs, MAX_START_MS, 'ms');
  // With fewer accounts, garbage collection dominates.
  if (count >= MIN_ACCOUNTS_FOR_MEMORY)
    limits.below('memory', (many.bytes - few.bytes) / count, MAX_BYTES_PER_ACCOUNT, 'bytes per account');
  await compareLatency(few, many);
  await few.service.stop();
  await reloadUnderLoad(many, masterKeyFile, accounts);
  return limits.allHold;
}

/** Each service has its own folder; they share the master key. */
async function startSized(
  masterKeyFile: string,
  accounts: readonly SealedAccount[],
  cleanup: Cleanup,
): Promise<SizedService> {
  const place = await imagePlace({ SIGNING_MASTER_KEY_FILE: masterKeyFile });
  cleanup.add(() => place.remove());
  replaceFile(place.path('credentials.json'), formatCredentials(accounts));
  const from = performance.now();
  const service = await place.start();
  await ready(service.url);
  const startMs = performance.now() - from;
  const load = new Load({ port: Number(new URL(service.url).port) }, randomRequests(REQUESTS, accounts.length));
  await load.run(CALLERS, WARM_UP_CALLS_MS);
  await sleep(SETTLE_MS);
  const bytes = residentBytes(service.process.pid);
  print(`${accounts.length} accounts: ${formatMs(startMs)} to start, ${(bytes / 1e6).toFixed(0)} MB`);
  return { place, service, load, startMs, bytes };
}

async function compareLatency(few: SizedService, many: SizedService): Promise<void> {
  const slice = async ({ load }: SizedService) => quantiles((await load.run(CALLERS, SLICE_MS)).map(({ ms }) => ms));
  const ratios: number[] = [];
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const [left, right] = [await slice(few), await slice(many)];
    // The first pair warms up.
    if (pair > 0) ratios.push(right.p50 / left.p50);
  }
  for (const { load } of [few, many]) {
    const failed = load.replies.find(({ status }) => status !== 200);
    if (failed !== undefined) throw new Error(`A call got ${failed.status} ${failed.body}`);
  }
  limits.below('p50 of signing ÷ with few accounts', median(ratios), MAX_LATENCY_RATIO, '(median of pairs)');
}

async function reloadUnderLoad(many: SizedService, masterKeyFile: string, accounts: readonly SealedAccount[]) {
  const maker = new AccountMaker(masterKeyFile);
  for (const changed of new Set([0, Math.min(CHANGED_KEYS, accounts.length), accounts.length])) {
    const renewed = accounts.map((account, number) => (number < changed ? maker.make(accountName(number)) : account));
    replaceFile(many.place.path('credentials.json'), formatCredentials(renewed));
    const { ms, latency } = await reloadOnce(many);
    print(`Reload with ${changed} changed keys; signing meanwhile: ${formatQuantiles(latency)}`);
    limits.below('reload', ms, MAX_RELOAD_MS * Math.max(1, changed / CHANGED_KEYS), 'ms');
    limits.below('p99 of signing meanwhile', latency.p99, MAX_RELOAD_P99_MS, 'ms');
  }
  maker.close();
}

async function reloadOnce({ service, load }: SizedService): Promise<{ ms: number; latency: Quantiles }> {
  const loading = load.run(RELOAD_PACE, LIMIT_MS);
  await sleep(1000);
  const [from, startedAt] = [performance.now(), Date.now()];
  const { status, body } = await service.post('/config/reload');
  const [ms, endedAt] = [performance.now() - from, Date.now()];
  load.stop();
  const replies = await loading;
  if (status !== 200) throw new Error(`The reload was answered ${status} ${JSON.stringify(body)}`);
  const failed = replies.find((reply) => reply.status !== 200);
  if (failed !== undefined) throw new Error(`A call got ${failed.status} ${failed.body}`);
  const during = replies.filter((reply) => reply.sentAt + reply.ms >= startedAt && reply.sentAt <= endedAt);
  return { ms, latency: quantiles(during.map((reply) => reply.ms)) };
}

await runBounded(LIMIT_MS, measure);
