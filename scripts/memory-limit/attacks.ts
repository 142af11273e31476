import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { openSocket, postBytes, statusesOf } from '../../tests/harness/raw-client.ts';

/** Responses by status, and connections without one. */
export type Tally = { [outcome: string]: number };

/** Hostile bytes on connections. */
export interface Attack {
  readonly name: string;
  readonly connections: number;
  /** Sent on each connection so many times. */
  readonly bytes: Buffer;
  readonly times?: number;
  /** How long connections stay open. */
  readonly seconds: number;
  /** Connections begin two at once, wait for a status other than 503 and read only its start. */
  readonly isUnread?: boolean;
}

/** A request that the service signs. */
export const ORDER = { platformId: 'alpha', accountId: 'main', data: { side: 'buy', amount: '1' } };

const MAX_BODY_BYTES = 1_048_576;
const HEADERS = 'a:bc\r\n'.repeat(2000);

/** `POST /api/v1/sign` as bytes. */
function signRequest(body: Buffer | string, headers: readonly string[] = [], query = ''): Buffer {
  return postBytes(`/api/v1/sign${query}`, body, headers);
}

/** A body of so many bytes that repeats a part. */
function filled(bytes: number, before: string, part: string, after: string): string {
  const start = `{"platformId":"alpha","accountId":"main","data":{"a":${before}`;
  return `${start}${part.repeat((bytes - start.length - after.length - 2) / part.length)}${after}}}`;
}

/** A body of empty arrays, which parses to far more memory. */
function emptyArrays(bytes: number): Buffer {
  return signRequest(filled(bytes, '[', '[],', '[]]'));
}

/** Attacks on the service's memory. */
export function attacks(): readonly Attack[] {
  const small = signRequest(JSON.stringify(ORDER), [`X-Padding: ${'x'.repeat(36)}`]);
  const pipelined = Buffer.concat(Array.from({ length: 1000 }, () => small));
  const list = Buffer.from('GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\n\r\n');
  const bomb = signRequest(gzipSync(Buffer.alloc(MAX_BODY_BYTES - 1, ' ')), ['Content-Encoding: gzip']);
  const [huge, large] = [emptyArrays(MAX_BODY_BYTES), emptyArrays(16_000)];
  const headers = Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\n${HEADERS}`);
  const reload = `POST /api/v1/config/reload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${HEADERS}\r\n`;
  // Its response is twice as long: JSON escapes each backslash again.
  const doubled = signRequest(filled(MAX_BODY_BYTES, '"', '\\\\', '"'), [], '?include=payload');
  const [hugeCut, largeCut] = [huge.subarray(0, -1), large.subarray(0, -1)];
  return [
    { name: '200,000 pipelined requests on one connection', connections: 1, bytes: pipelined, times: 200, seconds: 20 },
    { name: '1,000 pipelined lists on 500 connections', connections: 500, bytes: list, times: 1000, seconds: 10 },
    { name: '400 gzip bodies that inflate to 1 MiB', connections: 400, bytes: bomb, seconds: 10 },
    { name: '400 bodies of 1 MiB of empty arrays', connections: 400, bytes: huge, seconds: 20 },
    { name: '2,000 bodies of 16 kB of empty arrays', connections: 2000, bytes: large, seconds: 20 },
    { name: '8,000 bodies of 16 kB that lack their last byte', connections: 8000, bytes: largeCut, seconds: 15 },
    { name: '2,000 requests with 2,000 headers, unfinished', connections: 2000, bytes: headers, seconds: 8 },
    { name: '2,000 reloads with 2,000 headers, no body', connections: 2000, bytes: Buffer.from(reload), seconds: 8 },
    { name: '400 bodies of 1 MiB that lack their last byte', connections: 400, bytes: hugeCut, seconds: 10 },
    // The system buffers the first response, the service the second.
    { name: '400 unread responses of 2 MiB', connections: 200, bytes: doubled, times: 3, seconds: 25, isUnread: true },
  ];
}

/** Writes as fast as the service reads, and counts responses until connections or time end. */
export async function launch(attack: Attack, port: number): Promise<Tally> {
  const tally: Tally = {};
  const until = performance.now() + attack.seconds * 1000;
  const count = (outcome: string | number) => {
    tally[outcome] = (tally[outcome] ?? 0) + 1;
  };
  const half = { ...attack, connections: attack.connections / 2 };
  if (attack.isUnread) await Promise.all([half, half].map((one) => leaveUnread(one, port, until, count)));
  else await Promise.all(Array.from({ length: attack.connections }, () => send(attack, port, until, count)));
  return tally;
}

type Count = (outcome: string | number) => void;

/** Resolves when connection or time end. */
async function send(attack: Attack, port: number, until: number, count: Count): Promise<void> {
  const socket = await openSocket(port).catch(() => null);
  if (socket === null) return count('no response');
  let responses = 0;
  socket.setEncoding('latin1').on('data', (text: string) => {
    for (const status of statusesOf(text)) {
      responses += 1;
      count(status);
    }
  });
  void write(socket, attack);
  const timer = setTimeout(() => socket.destroy(), Math.max(0, until - performance.now()));
  await new Promise((resolve) => socket.once('close', resolve));
  clearTimeout(timer);
  if (responses === 0) count('no response');
}

/** Keeps all connections open until the end. */
async function leaveUnread(attack: Attack, port: number, until: number, count: Count): Promise<void> {
  const sockets: Socket[] = [];
  for (let left = attack.connections; left > 0; left -= 1) {
    // A body rejected for lack of memory fits soon.
    for (let status = '503'; status === '503' && performance.now() < until; count(status)) {
      const socket = await openSocket(port);
      sockets.push(socket);
      status = await firstStatus(socket, attack);
    }
  }
  await sleep(Math.max(0, until - performance.now()));
  for (const socket of sockets) socket.destroy();
}

/** Reads the status and nothing more. */
function firstStatus(socket: Socket, attack: Attack): Promise<string> {
  return new Promise((resolve) => {
    socket.once('readable', () => resolve(/^HTTP\/1\.1 (\d{3}) /.exec(String(socket.read()))?.[1] ?? 'no response'));
    socket.once('close', () => resolve('no response'));
    void write(socket, attack);
  });
}

async function write(socket: Socket, { bytes, times = 1 }: Attack): Promise<void> {
  for (let left = times; left > 0 && !socket.destroyed; left -= 1) {
    if (socket.write(bytes)) continue;
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve).once('close', resolve);
    });
  }
}
