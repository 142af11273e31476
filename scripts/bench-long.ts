import { BenchRun, type Measured } from './bench/bench-run.ts';
import { makeInstallation, startBenchService } from './bench/bench-service.ts';
import type { Driven } from './bench/drive.ts';
import { sampleOf, steadinessOf } from './bench/long-run.ts';
import type { RequestKind } from './bench/request-texts.ts';
import { flatnessOf, type Sample, troughsOf } from './proof/flatness.ts';
import { type Cleanup, numberArgument, runBounded } from './stage/bounded-run.ts';
import { mayBegin } from './stage/known-options.ts';
import { makeAccounts } from './stage/many-accounts.ts';
import { megabytes, print, printRow } from './stage/print.ts';

/*
 * Whether the ten millionth signature is as fast as the first: asks one service process for ten million signatures, most of them in batches of 100 for ed25519, with batches for eip191 and single requests between, the
 * durable audit on and its files rotated and deleted as they come. Prints every half million what it took. Exit code 1 when the rate of the batches falls below 0.95 of what it was (medians of the last and the first tenth), when the
 * memory rises by more than a tenth (by the regression line through its lowest points, over the last two thirds), or when the time, a quarter of an hour at the most, was not enough.
 *
 * npm run bench:long [-- --signatures 10000000]
 */

const LIMIT_MS = 15 * 60_000;
/** For the start, the warm-up and the end. */
const RESERVE_MS = 40_000;
const SIGNATURES = 10_000_000;
const TOLD_EVERY = 500_000;
/** From fewer nothing could be told. */
const LEAST_ROUNDS = 10;
const LEAST_STEADINESS = 0.95;
const MOST_RISE = 0.1;
/** In less the memory has not settled. */
const LEAST_SECONDS = 180;
/** Parts of the time, of each of which the least memory counts. */
const TROUGHS = 30;
const ROTATE_BYTES = 128 * 2 ** 20;
const KEPT_FILES = 1;

const ACCOUNTS = 1000;
const BATCH = 100;
const ED25519: RequestKind = { algorithm: 'ed25519', accounts: ACCOUNTS, batch: BATCH, different: 200 };
const EIP191: RequestKind = { ...ED25519, algorithm: 'eip191' };
const SINGLES: RequestKind = { ...ED25519, batch: null, different: 5000 };
const BATCH_CONNECTIONS = 4;
const SINGLE_CONNECTIONS = 64;
const WARM_UP = { warmUpMs: 5000, ms: 5000 };
const BATCHES = { warmUpMs: 0, ms: 2500 };
const BETWEEN = { warmUpMs: 0, ms: 250 };

const COLUMNS = [11, 13, 11, 11, 8, 8] as const;

async function sign(cleanup: Cleanup): Promise<boolean> {
  const wanted = numberArgument('--signatures', SIGNATURES);
  const begin = performance.now();
  const installation = await makeInstallation(cleanup, (masterKeyFile) => makeAccounts(masterKeyFile, ACCOUNTS));
  const settings = {
    SIGNING_AUDIT_ROTATE_BYTES: String(ROTATE_BYTES),
    SIGNING_AUDIT_KEEP_FILES: String(KEPT_FILES),
  };
  const service = await startBenchService(installation, cleanup, { settings });
  const url = `http://127.0.0.1:${service.target.port}`;
  const run = new BenchRun(cleanup);
  const asking = (requests: RequestKind, connections = BATCH_CONNECTIONS): Measured => ({
    ...{ services: [service], requests, connections, accounts: installation.accounts },
  });
  const singles = asking(SINGLES, SINGLE_CONNECTIONS);
  await run.drive(asking(ED25519), WARM_UP);

  print(`  until ${wanted} are signed, after ${await signedBy(url)} to warm up\n`);
  printRow(['signatures', 'batches /s', 'singles /s', 'CPU s/1000', 'RSS', 'heap'], COLUMNS);
  const rates: number[] = [];
  const memory: Sample[] = [];
  let part: Driven[] = [];
  let [signed, told] = [0, 0];
  const isDone = () => signed >= wanted && rates.length >= LEAST_ROUNDS;
  while (!isDone() && performance.now() - begin < LIMIT_MS - RESERVE_MS) {
    const batches = await run.drive(asking(ED25519), BATCHES);
    await run.drive(asking(EIP191), BETWEEN);
    const { answers, ms } = await run.drive(singles, BETWEEN);
    rates.push(rateOf([batches]));
    memory.push({ at: (performance.now() - begin) / 1000, value: batches.rssBytes });
    part.push(batches);
    signed = await signedBy(url);
    if (signed - told < TOLD_EVERY && !isDone()) continue;
    const heap = await heapOf(url);
    const cells = [rateOf(part), (answers / ms) * 1000].map((rate) => Math.round(rate).toLocaleString('en'));
    printRow([signed.toLocaleString('en'), ...cells, cpuOf(part), megabytes(batches.rssBytes), heap], COLUMNS);
    [part, told] = [[], signed];
  }
  print(`\n  ${run.verified} signatures of the answers verified by OpenSSL and ethers`);
  return [isSteady(rates), isFlat(memory), isReached(signed, wanted)].every((holds) => holds);
}

function isSteady(rates: readonly number[]): boolean {
  const { first, last, lastPerFirst } = steadinessOf(rates);
  const said = `${Math.round(last)}/s in the last tenth, ${Math.round(first)}/s in the first: ${lastPerFirst.toFixed(3)}`;
  return judged(lastPerFirst >= LEAST_STEADINESS, `batches: ${said}, at least ${LEAST_STEADINESS}`);
}

function isFlat(memory: readonly Sample[]): boolean {
  const seconds = (memory.at(-1)?.at ?? 0) - (memory[0]?.at ?? 0);
  if (seconds < LEAST_SECONDS) {
    print(`  not judged     memory: that takes ${LEAST_SECONDS} s, and these were ${Math.round(seconds)} s`);
    return true;
  }
  const { rise, mean } = flatnessOf(troughsOf(memory, seconds / TROUGHS));
  const said = `rises by ${megabytes(rise)} over the last two thirds, mean ${megabytes(mean)}`;
  return judged(rise < mean * MOST_RISE, `memory ${said}; less than ${MOST_RISE * 100} % of it`);
}

function isReached(signed: number, wanted: number): boolean {
  return judged(signed >= wanted, `${signed.toLocaleString('en')} signatures of ${wanted.toLocaleString('en')}`);
}

function judged(holds: boolean, text: string): boolean {
  print(`  ${(holds ? 'holds' : 'DOES NOT HOLD').padEnd(14)} ${text}`);
  return holds;
}

/** Signatures a second, of batches. */
function rateOf(driven: readonly Driven[]): number {
  const [answers, ms] = [sum(driven.map((one) => one.answers)), sum(driven.map((one) => one.ms))];
  return ((answers * BATCH) / ms) * 1000;
}

function cpuOf(driven: readonly Driven[]): string {
  const [answers, seconds] = [sum(driven.map((one) => one.answers)), sum(driven.map((one) => one.cpuSeconds))];
  return ((seconds / (answers * BATCH)) * 1000).toFixed(4);
}

/** What the service itself has counted. */
async function signedBy(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/status`);
  const { data } = (await answer.json()) as { data: { performance: { totalSigns: number } } };
  return data.performance.totalSigns;
}

async function heapOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`);
  const heap = sampleOf(await answer.text(), 'nodejs_heap_size_used_bytes');
  return heap === null ? '' : megabytes(heap);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const USAGE =
  'npm run bench:long [-- --signatures NUMBER], by default ten million, in a quarter of an hour at the most; ten rounds of some three seconds at the least.';
if (mayBegin(USAGE, ['signatures'])) await runBounded(LIMIT_MS, sign);
