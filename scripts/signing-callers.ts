import { connect, type Socket } from 'node:net';

/*
 * 64 callers in a process of their own, for measurements: told { port, ms }, they sign there for so long, each on a connection that stays open, and tell how long each call took. They write HTTP/1.1
 * (RFC 9112) to their sockets themselves, because an HTTP client would need more of the machine than the service that is measured.
 */

/** What this process is told. */
export interface Slice {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** How long, milliseconds. */
  readonly ms: number;
}

/** What it tells. */
export interface SliceResult {
  /** From the first request to the last answer, milliseconds. */
  readonly ms: number;
  /** Of each signature, from its request to its answer, milliseconds. */
  readonly latencies: readonly number[];
  /** Answers without a signature. */
  readonly failures: number;
}

const CALLERS = 64;
const HEAD = 'POST /api/v1/sign HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ';
let sockets: readonly Socket[] = [];
let calls = 0;

process.on('message', (slice: Slice) => void run(slice).then((result) => process.send?.(result)));

async function run({ port, ms }: Slice): Promise<SliceResult> {
  if (sockets.length === 0) sockets = Array.from({ length: CALLERS }, () => connect(port, '127.0.0.1').setNoDelay());
  const latencies: number[] = [];
  let failures = 0;
  const begin = performance.now();
  const call = async (socket: Socket) => {
    while (performance.now() - begin < ms) {
      const from = performance.now();
      const answer = await sign(socket);
      if (answer.startsWith('HTTP/1.1 200') && answer.includes('"signature":"'))
        latencies.push(performance.now() - from);
      else failures += 1;
    }
  };
  await Promise.all(sockets.map(call));
  return { ms: performance.now() - begin, latencies, failures };
}

/** Sends one request and resolves to the whole answer, headers included. */
function sign(socket: Socket): Promise<string> {
  calls += 1;
  const body = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: { order: calls, side: 'buy' } });
  return new Promise((resolve) => {
    let answer = '';
    const receive = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!isWhole(answer)) return;
      socket.off('data', receive);
      resolve(answer);
    };
    socket.on('data', receive);
    socket.write(`${HEAD}${body.length}\r\n\r\n${body}`);
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return end > 0 && answer.length >= end + 4 + Number(length);
}
