import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Instance, type Options, type Request, type Result } from 'autocannon';
import { type Reply, type SigningTask, toData } from '../load/load-process.ts';
import { findSigner, toItems } from '../proof/signature-proof.ts';
import { quantiles } from '../proof/statistics.ts';
import { accountName } from '../service/account-names.ts';
import type { SealedAccount } from '../service/sealed-accounts.ts';

/** A service, or the bare server. */
export interface Target {
  readonly url: string;
  readonly pid: number;
}

/** The load. */
export interface Work {
  readonly algorithm: 'ed25519' | 'eip191';
  /** Items of a batch; null: single requests. */
  readonly batch: number | null;
  /** To each target; each waits for its response. */
  readonly connections: number;
}

/** Results of a round. */
export interface Round {
  readonly perSecond: number;
  /** CPU seconds for 1000 signatures, of all threads of the targets. */
  readonly cpuPer1000: number;
  /** Latency of a request, milliseconds; null without requests. */
  readonly p50: number | null;
  readonly p99: number | null;
  /** Busy processors of the targets. */
  readonly cores: number | null;
}

/** Duration of a measurement, milliseconds. */
export interface Slice {
  readonly warmUpMs: number;
  readonly ms: number;
}

/** Distinct requests of all connections. */
const REQUESTS = { single: 1024, batch: 40 };
/** Rounds are stopped long before. */
const MAX_SECONDS = 120;
/** How often autocannon checks for its end, milliseconds. */
const POLL_MS = 50;
/** Verified items of a response; ethers takes a millisecond for each. */
const VERIFIED_ITEMS = 5;
/** Clock ticks a second of /proc (`getconf CLK_TCK`). */
const TICKS = 100;

let calls = 0;

/**
 * Loads targets with autocannon and measures a slice.
 * @param accounts whose signatures are verified; null if the target does not sign
 * @throws Error for a failed request or an invalid signature
 */
export async function drive(
  targets: readonly Target[],
  work: Work,
  { warmUpMs, ms }: Slice,
  accounts: readonly SealedAccount[] | null,
): Promise<Round> {
  const latencies: number[] = [];
  const samples: Reply[] = [];
  let isMeasuring = false;
  const runs = targets.map(({ url }) =>
    start(
      {
        url,
        connections: work.connections,
        duration: MAX_SECONDS,
        sampleInt: POLL_MS,
        tlsOptions: { rejectUnauthorized: false },
        // Batches report failed items with status 200.
        ...(work.batch !== null && accounts !== null && { verifyBody: (body) => String(body).includes('"failed":0') }),
        setupClient: (client) => client.setRequests(createRequests(work, samples)),
      },
      (responseMs) => {
        if (isMeasuring) latencies.push(responseMs);
      },
    ),
  );
  await Promise.all(runs.map(({ started }) => started));
  await sleep(warmUpMs);
  const [from, cpuFrom] = [performance.now(), cpuSeconds(targets)];
  isMeasuring = true;
  await sleep(ms);
  isMeasuring = false;
  const [seconds, cpu] = [(performance.now() - from) / 1000, cpuSeconds(targets) - cpuFrom];
  for (const { instance } of runs) instance.stop();
  for (const { errors, non2xx, mismatches } of await Promise.all(runs.map(({ result }) => result))) {
    if (errors + non2xx + mismatches > 0) {
      throw new Error(`${errors} errors, ${non2xx} responses other than 2xx, ${mismatches} batches with failed items.`);
    }
  }
  if (accounts !== null) verify(samples, accounts);
  const signatures = latencies.length * (work.batch ?? 1);
  const { p50, p99 } = quantiles(latencies);
  return { perSecond: signatures / seconds, cpuPer1000: (cpu / signatures) * 1000, p50, p99, cores: cpu / seconds };
}

interface Run {
  readonly instance: Instance;
  /** Resolves once every connection is open, or with the result. */
  readonly started: Promise<unknown>;
  readonly result: Promise<Result>;
}

/** autocannon's promise has no events, its instance no promise. */
function start(options: Options, onResponse: (ms: number) => void): Run {
  let settle = (_error: unknown, _result: Result) => {};
  const result = new Promise<Result>((resolve, reject) => {
    settle = (error, one) => (error ? reject(error) : resolve(one));
  });
  const instance = autocannon(options, (error, one) => settle(error, one));
  instance.on('response', (_client, _status, _bytes, responseMs) => onResponse(responseMs));
  const started = Promise.race([
    result,
    new Promise<void>((resolve) => {
      let responses = 0;
      instance.on('response', () => {
        responses += 1;
        if (responses === options.connections) resolve();
      });
    }),
  ]);
  return { instance, started, result };
}

/** Distinct requests of a connection; keeps the first response as a sample. */
function createRequests({ algorithm, batch, connections }: Work, samples: Reply[]): Request[] {
  const count = Math.ceil((batch === null ? REQUESTS.single : REQUESTS.batch) / connections);
  return Array.from({ length: count }, (_, index) => {
    const tasks = Array.from({ length: batch ?? 1 }, () => nextTask(algorithm));
    const sentAt = Date.now();
    return {
      ...toRequest(tasks, batch !== null),
      ...(index === 0 && {
        onResponse: (status: number, body: string) => {
          samples.push({ tasks, isBatch: batch !== null, status, body, sentAt, receivedAt: sentAt });
        },
      }),
    };
  });
}

function nextTask(algorithm: Work['algorithm']): SigningTask {
  calls += 1;
  // Alternates between accounts of both algorithms.
  const account = 2 * (calls % (BENCH_ACCOUNTS / 2));
  return { account: accountName(account).algorithm === algorithm ? account : account + 1, call: calls };
}

/** Accounts of the installation. */
export const BENCH_ACCOUNTS = 1000;

/** A request in autocannon's form. */
export function toRequest(tasks: readonly SigningTask[], isBatch: boolean): Request & { readonly body: string } {
  const items = tasks.map((task) => {
    const { platformId, accountId } = accountName(task.account);
    return { ...(isBatch && { requestId: String(task.call) }), platformId, accountId, data: toData(task) };
  });
  return {
    method: 'POST',
    path: isBatch ? '/api/v1/sign/batch' : '/api/v1/sign',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(isBatch ? { requests: items } : items[0]),
  };
}

function verify(samples: readonly Reply[], accounts: readonly SealedAccount[]): void {
  const items = samples.flatMap((sample) => toItems(sample).slice(0, VERIFIED_ITEMS));
  if (items.length === 0) throw new Error('There was no response to verify.');
  for (const { task, signature, errorCode } of items) {
    const publicKey = accounts[task.account]?.publicKey ?? '';
    if (signature !== null && findSigner(task, signature, [publicKey]) === publicKey) continue;
    throw new Error(`Account ${task.account}, call ${task.call}: ${errorCode ?? 'a signature that is not its own'}`);
  }
}

/** User and system time of processes with all threads (proc_pid_stat(5), fields 14 and 15). */
export function cpuSeconds(targets: readonly Pick<Target, 'pid'>[]): number {
  return targets.reduce((sum, { pid }) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name, in brackets, may contain blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS;
  }, 0);
}
