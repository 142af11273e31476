import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Load } from '../load/load.ts';

/** Responses by status, and connections without one. */
export type Tally = { [outcome: string]: number };

/** Hostile bytes on connections. */
export interface Attack {
  readonly name: string;
  /** One for each connection. */
  readonly connections: readonly (() => Iterable<Buffer>)[];
  /** How long connections stay open, milliseconds. */
  readonly lastsMs: number;
  /**
   * Number of connections that wait at once for a status other than 503 and read only its start;
   * absent: all wait and read everything.
   */
  readonly unreadAtOnce?: number;
}

const ORDER = { platformId: 'alpha', accountId: 'main', data: { side: 'buy', amount: '1' } };
const MAX_BODY_BYTES = 1_048_576;
const RELOAD = `POST /api/v1/config/reload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${'a:bc\r\n'.repeat(2000)}\r\n`;

/** `POST /api/v1/sign` as bytes. */
function signRequest(body: Buffer | string, headers = '', query = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST /api/v1/sign${query} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** A body of empty arrays, which parses to far more memory. */
function emptyArrays(bytes: number): string {
  const [before, after] = ['{"platformId":"alpha","accountId":"main","data":{"a":[', '[]]}}'];
  return `${before}${'[],'.repeat(Math.floor((bytes - before.length - after.length) / 3))}${after}`;
}

/** A body whose response is twice as long: JSON escapes each backslash again. */
function backslashes(bytes: number): string {
  const [before, after] = ['{"platformId":"alpha","accountId":"main","data":{"a":"', '"}}'];
  return `${before}${'\\\\'.repeat(Math.floor((bytes - before.length - after.length) / 2))}${after}`;
}

function repeated(bytes: Buffer, times: number): () => Iterable<Buffer> {
  return () => Array.from({ length: times }, () => bytes);
}

/** Attacks on the service's memory. */
export function attacks(): readonly Attack[] {
  const small = signRequest(JSON.stringify(ORDER), `X-Padding: ${'x'.repeat(36)}\r\n`);
  const bomb = signRequest(gzipSync(Buffer.alloc(MAX_BODY_BYTES - 1, ' ')), 'Content-Encoding: gzip\r\n');
  const huge = signRequest(emptyArrays(MAX_BODY_BYTES));
  const doubled = signRequest(backslashes(MAX_BODY_BYTES), '', '?include=payload');
  const list = Buffer.from('GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\n\r\n');
  const many = (length: number, connection: () => Iterable<Buffer>) => Array.from({ length }, () => connection);
  const pipelined = Buffer.concat(Array.from({ length: 1000 }, () => small));
  return [
    { name: '200,000 pipelined requests on one connection', connections: [repeated(pipelined, 200)], lastsMs: 20_000 },
    { name: '1,000 pipelined lists on 500 connections', connections: many(500, repeated(list, 1000)), lastsMs: 10_000 },
    { name: '400 gzip bodies that inflate to 1 MiB', connections: many(400, repeated(bomb, 1)), lastsMs: 10_000 },
    { name: '400 bodies of 1 MiB of empty arrays', connections: many(400, repeated(huge, 1)), lastsMs: 20_000 },
    {
      name: '2,000 bodies of 16 kB of empty arrays',
      connections: many(2000, repeated(signRequest(emptyArrays(16_000)), 1)),
      lastsMs: 20_000,
    },
    {
      name: '8,000 bodies of 16 kB that lack their last byte',
      connections: many(8000, repeated(signRequest(emptyArrays(16_000)).subarray(0, -1), 1)),
      lastsMs: 15_000,
    },
    {
      name: '2,000 requests with 2,000 headers, unfinished',
      connections: many(2000, repeated(Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\n${'a:bc\r\n'.repeat(2000)}`), 1)),
      lastsMs: 8000,
    },
    {
      name: '2,000 reloads with 2,000 headers and no body',
      connections: many(2000, repeated(Buffer.from(RELOAD), 1)),
      lastsMs: 8000,
    },
    {
      name: '400 bodies of 1 MiB that lack their last byte',
      connections: many(400, repeated(huge.subarray(0, -1), 1)),
      lastsMs: 10_000,
    },
    {
      name: '400 answers of 2 MiB that nobody reads',
      // The system buffers the first response, the service the second.
      connections: many(200, repeated(doubled, 3)),
      lastsMs: 25_000,
      unreadAtOnce: 2,
    },
  ];
}

/** Writes as fast as the service reads, and counts responses until connections or time end. */
export async function launch({ connections, lastsMs, unreadAtOnce }: Attack, port: number): Promise<Tally> {
  const tally: Tally = {};
  const until = performance.now() + lastsMs;
  if (unreadAtOnce !== undefined) await leaveUnread(connections, unreadAtOnce, port, until, tally);
  else await Promise.all(connections.map((bytes) => send(port, bytes(), until, tally)));
  return tally;
}

/** Keeps all connections open until the end. */
async function leaveUnread(
  connections: Attack['connections'],
  atOnce: number,
  port: number,
  until: number,
  tally: Tally,
): Promise<void> {
  const sockets: Socket[] = [];
  const left = connections.values();
  const begin = async () => {
    for (const bytes of left) {
      // A body rejected for lack of memory fits soon.
      for (let status = '503'; status === '503' && performance.now() < until; ) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        sockets.push(socket);
        status = await firstStatus(socket, bytes());
        count(tally, status);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, begin));
  await sleep(Math.max(0, until - performance.now()));
  for (const socket of sockets) socket.destroy();
}

/** Reads the status and nothing more. */
function firstStatus(socket: Socket, bytes: Iterable<Buffer>): Promise<string> {
  return new Promise((resolve) => {
    socket.once('readable', () => resolve(/^HTTP\/1\.1 (\d{3}) /.exec(String(socket.read()))?.[1] ?? 'no response'));
    socket.once('close', () => resolve('no response'));
    void write(socket, bytes[Symbol.iterator]());
  });
}

/** Resolves when connection or time end. */
function send(port: number, bytes: Iterable<Buffer>, until: number, tally: Tally): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let responses = 0;
    const timer = setTimeout(() => socket.destroy(), Math.max(0, until - performance.now()));
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        responses += 1;
        count(tally, status);
      }
    });
    socket.once('close', () => {
      clearTimeout(timer);
      if (responses === 0) count(tally, 'no response');
      resolve();
    });
    void write(socket, bytes[Symbol.iterator]());
  });
}

async function write(socket: Socket, bytes: Iterator<Buffer>): Promise<void> {
  for (let next = bytes.next(); next.done !== true; next = bytes.next()) {
    if (socket.destroyed) return;
    if (socket.write(next.value)) continue;
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve).once('close', resolve);
    });
  }
}

function count(tally: Tally, outcome: string): void {
  tally[outcome] = (tally[outcome] ?? 0) + 1;
}

/** Sends signing requests at a steady rate. @param rate requests a second */
export async function steadyLoad(port: number, rate: number, seconds: number): Promise<Tally> {
  const requests = [{ path: '/api/v1/sign', body: JSON.stringify(ORDER) }];
  const load = new Load({ port }, requests, { maxConnections: 2048 });
  const tally: Tally = {};
  for (const { status } of await load.run({ perSecond: rate }, seconds * 1000)) count(tally, String(status));
  return tally;
}
