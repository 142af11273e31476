import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import type { ReceivedResponse } from './envelope-checks.ts';

/** Opens a connection to 127.0.0.1. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => {
      socket.removeListener('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Opens a connection to 127.0.0.1 over TLS, by default without verification of the certificate. */
export function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      socket.removeListener('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Keeps everything that arrives; returns it so far, as Latin-1. */
export function collect(socket: Socket): () => string {
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  return () => Buffer.concat(received).toString('latin1');
}

/** The status codes of all responses in a text. */
export function statusesOf(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Sends bytes on a new connection, reads one response and disconnects. */
export async function exchange(port: number, ...parts: readonly (string | Buffer)[]): Promise<ReceivedResponse> {
  const socket = await openSocket(port);
  const response = readResponse(socket);
  for (const part of parts) socket.write(part);
  try {
    return await response;
  } finally {
    socket.destroy();
  }
}

/** Sends bytes on a new connection; returns everything until it closes, as Latin-1. */
export async function exchangeUntilClosed(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = await openSocket(port);
  const received = collect(socket);
  for (const part of parts) socket.write(part);
  await closed(socket);
  return received();
}

/** Reads one response with a Content-Length; rejects if the connection ends first. */
export function readResponse(socket: Socket): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const take = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const response = parseResponse(received);
      if (response === undefined) return;
      // The rest belongs to another response.
      socket.removeListener('data', take);
      resolve(response);
    };
    socket.on('data', take);
    socket.once('close', () => reject(new Error(`The connection ended after ${received.length} bytes.`)));
  });
}

/** Resolves when the peer has closed the connection. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.resume();
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** A `POST` with a JSON body, in bytes. */
export function postBytes(path: string, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

function parseResponse(received: Buffer): ReceivedResponse | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  if (status === 100) return parseResponse(received.subarray(headEnd + 4));
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = received.subarray(headEnd + 4);
  if (body.length < Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)) return undefined;
  return { status, headers, body: JSON.parse(body.toString('utf8')) };
}
