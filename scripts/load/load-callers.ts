import { setTimeout as sleep } from 'node:timers/promises';
import { accountName } from './account-names.ts';
import { ConnectionPool } from './connection-pool.ts';
import { ConnectionError, type HttpAnswer } from './http-connection.ts';
import { dataOf, type Load, type LoadReport, type Reply, type Wish } from './load-process.ts';

/* The process behind LoadProcess (load.ts). */

const REPORT_MS = 200;
/** At one time; calls beyond that wait for one, and their waiting counts. */
const MOST_CONNECTIONS = 256;
const SHOWN_OF_FAILURE = 200;

type Report = {
  -readonly [Field in keyof LoadReport]: LoadReport[Field] extends readonly (infer Item)[] ? Item[] : LoadReport[Field];
};

/** Connections by port, which stay open from one load to the next. */
const pools = new Map<number, ConnectionPool>();
let report = emptyReport();
let calls = 0;
let wishes = 0;
let isStopped = false;

process.on('message', (message: Load | 'stop') => {
  if (message === 'stop') isStopped = true;
  else void run(message);
});
// Its connections would keep it alive when whoever started it has ended, however that was.
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
  const callOnAndOn = async () => {
    while (!isOver()) await call(load);
  };
  await Promise.all(Array.from({ length: callers }, callOnAndOn));
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
  const asked = Array.from({ length: isBatch ? (load.batches?.size ?? 0) : 1 }, () => nextWish(load));
  const [path, content] = isBatch ? ['/api/v1/sign/batch', batchOf(asked)] : ['/api/v1/sign', requestOf(asked)];
  const [sentAt, from] = [Date.now(), performance.now()];
  let last = await tryOnce(load, path, content);
  for (let retry = 0; retry < load.retries && isFault(last); retry += 1) {
    report.retries += 1;
    last = await tryOnce(load, path, content);
  }
  report.latencies.push([sentAt, performance.now() - from]);
  if (last.status !== 200 || last.body.includes('"status":"failed"')) {
    report.failures.push(`${last.status} ${last.body.slice(0, SHOWN_OF_FAILURE)}`);
  }
  if (load.tellsReplies) report.replies.push({ wishes: asked, isBatch, sentAt, receivedAt: Date.now(), ...last });
}

async function tryOnce({ target }: Load, path: string, content: object): Promise<HttpAnswer> {
  const pool = pools.get(target.port) ?? new ConnectionPool(target, MOST_CONNECTIONS);
  pools.set(target.port, pool);
  try {
    return await pool.lend((connection) => connection.post(path, content));
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    report.dropped += 1;
    return { status: 0, body: error.message };
  }
}

/** No answer, or one of the service or a proxy before it that says that it could not do it now. */
function isFault({ status, body }: HttpAnswer): boolean {
  return status === 0 || status >= 500 || body.includes('"SIGNATURE_FAILED"');
}

function nextWish({ accounts }: Load): Wish {
  wishes += 1;
  const number = Math.floor(Math.random() * ('count' in accounts ? accounts.count : accounts.length));
  return { account: 'count' in accounts ? number : (accounts[number] ?? 0), call: wishes };
}

function requestOf([wish]: readonly Wish[]): object {
  return wish === undefined ? {} : signRequest(wish);
}

function batchOf(wishes: readonly Wish[]): object {
  return { requests: wishes.map((wish) => ({ requestId: String(wish.call), ...signRequest(wish) })) };
}

function signRequest(wish: Wish): object {
  const { platformId, accountId } = accountName(wish.account);
  return { platformId, accountId, data: dataOf(wish) };
}

function tell(isLast: boolean): void {
  const told = { ...report, isLast };
  report = emptyReport();
  process.send?.(told satisfies LoadReport);
}

function emptyReport(): Report {
  return { latencies: [], failures: [], retries: 0, dropped: 0, replies: [] as Reply[], isLast: false };
}
