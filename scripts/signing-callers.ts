import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * Callers in a process of their own, for measurements: told a Slice, they sign at that port for so long, each on a connection that stays open, and tell how long each call took. They write HTTP/1.1
 * (RFC 9112) to their sockets themselves, because an HTTP client would need more of the machine than the service that is measured.
 */

/** What this process is told. */
export interface Slice {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** How long, milliseconds. */
  readonly ms: number;
  /** How many callers there are; 64 by default, and always as many as the first time. */
  readonly callers?: number;
  /** Time from the beginning of one call to that of the caller's next, milliseconds; by default each call follows the answer to the last. */
  readonly everyMs?: number;
  /** Items of the batches that are sent; single requests by default. */
  readonly items?: number;
}

/** What it tells. */
export interface SliceResult {
  /** From the first request to the last answer, milliseconds. */
  readonly ms: number;
  /** Of each signature or batch, from when its request was due to its answer, milliseconds. */
  readonly latencies: readonly number[];
  /** Answers without a signature. */
  readonly failures: number;
}

const CALLERS = 64;
let sockets: readonly Socket[] = [];
let calls = 0;

process.on('message', (slice: Slice) => void run(slice).then((result) => process.send?.(result)));

async function run({ port, ms, callers = CALLERS, everyMs = 0, items }: Slice): Promise<SliceResult> {
  if (sockets.length === 0) sockets = Array.from({ length: callers }, () => connect(port, '127.0.0.1').setNoDelay());
  const latencies: number[] = [];
  let failures = 0;
  const begin = performance.now();
  const call = async (socket: Socket, index: number) => {
    let due = begin + (everyMs * index) / callers;
    while (performance.now() - begin < ms) {
      await sleepUntil(due);
      const answer = await exchange(socket, items === undefined ? singleRequest() : batchRequest(items));
      if (answer.startsWith('HTTP/1.1 200') && answer.includes('"signature":"'))
        latencies.push(performance.now() - due);
      else failures += 1;
      due = everyMs === 0 ? performance.now() : due + everyMs;
    }
  };
  await Promise.all(sockets.map(call));
  return { ms: performance.now() - begin, latencies, failures };
}

async function sleepUntil(due: number): Promise<void> {
  const left = due - performance.now();
  if (left > 0) await sleep(left);
}

function singleRequest(): string {
  return post('/api/v1/sign', order());
}

function batchRequest(items: number): string {
  return post('/api/v1/sign/batch', {
    requests: Array.from({ length: items }, (_, index) => ({ requestId: `r-${index}`, ...order() })),
  });
}

function order(): object {
  calls += 1;
  return { platformId: 'alpha', accountId: 'main', data: { order: calls, side: 'buy' } };
}

function post(path: string, content: object): string {
  const body = JSON.stringify(content);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: `;
  return `${head}${body.length}\r\n\r\n${body}`;
}

/** Sends one request and resolves to the whole answer, headers included. */
function exchange(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const receive = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!isWhole(answer)) return;
      socket.off('data', receive);
      resolve(answer);
    };
    socket.on('data', receive);
    socket.write(request);
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return end > 0 && answer.length >= end + 4 + Number(length);
}
