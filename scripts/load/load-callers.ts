import { setTimeout as sleep } from 'node:timers/promises';
import { accountName } from '../service/account-names.ts';
import { ConnectionError, HttpConnection, type HttpResponse, type HttpTarget } from './http-connection.ts';
import { type Load, type LoadReport, type Reply, type SigningTask, toData } from './load-process.ts';

/* The process of LoadProcess (load-process.ts). */

const REPORT_MS = 200;
/** Further calls wait, which counts as latency. */
const MAX_CONNECTIONS = 256;
const MAX_FAILURE_CHARACTERS = 200;

type Report = {
  -readonly [Field in keyof LoadReport]: LoadReport[Field] extends readonly (infer Item)[] ? Item[] : LoadReport[Field];
};

/** By port; connections stay open between loads. */
const pools = new Map<number, ConnectionPool>();
let report = emptyReport();
let calls = 0;
let tasks = 0;
let isStopped = false;

process.on('message', (message: Load | 'stop') => {
  if (message === 'stop') isStopped = true;
  else void run(message);
});
// Open connections would keep this process alive.
process.on('disconnect', () => process.exit());

async function run(load: Load): Promise<void> {
  isStopped = false;
  const reporting = setInterval(() => tell(false), REPORT_MS);
  const until = performance.now() + load.ms;
  const isOver = () => isStopped || performance.now() >= until;
  if ('callers' in load.pace) await callInTurns(load, load.pace.callers, isOver);
  else await callAtRate(load, load.pace.perSecond, isOver);
  clearInterval(reporting);
  tell(true);
}

async function callInTurns(load: Load, callers: number, isOver: () => boolean): Promise<void> {
  const callRepeatedly = async () => {
    while (!isOver()) await call(load);
  };
  await Promise.all(Array.from({ length: callers }, callRepeatedly));
}

async function callAtRate(load: Load, perSecond: number, isOver: () => boolean): Promise<void> {
  const begin = performance.now();
  const running = new Set<Promise<void>>();
  for (let sent = 0; !isOver(); await sleep(1)) {
    for (const due = ((performance.now() - begin) * perSecond) / 1000; sent < due; sent += 1) {
      const one = call(load).finally(() => running.delete(one));
      running.add(one);
    }
  }
  await Promise.all(running);
}

async function call(load: Load): Promise<void> {
  calls += 1;
  const isBatch = load.batches !== null && calls % load.batches.every === 0;
  const requested = Array.from({ length: isBatch ? (load.batches?.size ?? 0) : 1 }, () => nextTask(load));
  const [path, content] = isBatch ? ['/api/v1/sign/batch', toBatch(requested)] : ['/api/v1/sign', toRequest(requested)];
  const [sentAt, from] = [Date.now(), performance.now()];
  let last = await tryOnce(load, path, content);
  for (let retry = 0; retry < load.retries && isTransient(last); retry += 1) {
    report.retries += 1;
    last = await tryOnce(load, path, content);
  }
  report.latencies.push([sentAt, performance.now() - from]);
  if (last.status !== 200 || last.body.includes('"status":"failed"')) {
    report.failures.push(`${last.status} ${last.body.slice(0, MAX_FAILURE_CHARACTERS)}`);
  }
  if (load.reportsReplies) report.replies.push({ tasks: requested, isBatch, sentAt, receivedAt: Date.now(), ...last });
}

async function tryOnce({ target }: Load, path: string, content: object): Promise<HttpResponse> {
  const pool = pools.get(target.port) ?? new ConnectionPool(target, MAX_CONNECTIONS);
  pools.set(target.port, pool);
  try {
    return await pool.lend((connection) => connection.post(path, content));
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    report.dropped += 1;
    return { status: 0, body: error.message };
  }
}

/** No response, or a transient error of the service or a proxy. */
function isTransient({ status, body }: HttpResponse): boolean {
  return status === 0 || status >= 500 || body.includes('"SIGNATURE_FAILED"');
}

function nextTask({ accounts }: Load): SigningTask {
  tasks += 1;
  const number = Math.floor(Math.random() * ('count' in accounts ? accounts.count : accounts.length));
  return { account: 'count' in accounts ? number : (accounts[number] ?? 0), call: tasks };
}

function toRequest([task]: readonly SigningTask[]): object {
  return task === undefined ? {} : signRequest(task);
}

function toBatch(tasks: readonly SigningTask[]): object {
  return { requests: tasks.map((task) => ({ requestId: String(task.call), ...signRequest(task) })) };
}

function signRequest(task: SigningTask): object {
  const { platformId, accountId } = accountName(task.account);
  return { platformId, accountId, data: toData(task) };
}

function tell(isLast: boolean): void {
  const reports = { ...report, isLast };
  report = emptyReport();
  process.send?.(reports satisfies LoadReport);
}

function emptyReport(): Report {
  return { latencies: [], failures: [], retries: 0, dropped: 0, replies: [] as Reply[], isLast: false };
}

/** Keep-alive connections to a target, each with one request at a time; further requests queue. */
export class ConnectionPool {
  readonly #target: HttpTarget;
  readonly #most: number;
  readonly #free: HttpConnection[] = [];
  readonly #waiting: ((connection: HttpConnection) => void)[] = [];
  #made = 0;

  /** @param max maximum connections */
  constructor(target: HttpTarget, max: number) {
    this.#target = target;
    this.#most = max;
  }

  /** Uses a connection until the result settles. */
  async lend<Result>(use: (connection: HttpConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    try {
      return await use(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(connection);
      else next(connection);
    }
  }

  #take(): HttpConnection | Promise<HttpConnection> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made >= this.#most) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#made += 1;
    return new HttpConnection(this.#target);
  }
}
