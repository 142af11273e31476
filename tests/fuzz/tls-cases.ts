import { connect as connectPlain, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { type FuzzCase, fuzzCase, getBytes } from './fuzz-case.ts';

const RANDOM = Buffer.alloc(32, 7);
const CIPHERS = Buffer.from('13011302c02bc02f', 'hex');

/** A TLS record (RFC 8446 §5.1). */
function record(type: number, version: number, content: Buffer, length = content.length): Buffer {
  return Buffer.concat([Buffer.from([type, version >> 8, version & 255, length >> 8, length & 255]), content]);
}

function helloBody(extensions: Buffer): Buffer {
  const ciphers = Buffer.concat([Buffer.from([0, CIPHERS.length]), CIPHERS, Buffer.from([1, 0])]);
  const body = Buffer.concat([Buffer.from([3, 3]), RANDOM, Buffer.from([0]), ciphers, extensions]);
  return Buffer.concat([Buffer.from([1, 0, body.length >> 8, body.length & 255]), body]);
}

const EXTENSIONS = Buffer.from('000a000a0004000200170000000d0004000204030033000200000002b0003020304', 'hex');
const HELLO = record(22, 0x0301, helloBody(Buffer.concat([Buffer.from([0, EXTENSIONS.length]), EXTENSIONS])));
const SMALL_HELLO = record(22, 0x0301, helloBody(Buffer.alloc(0)));

const PIECES: readonly Buffer[] = [
  HELLO,
  SMALL_HELLO,
  record(22, 0x0301, Buffer.alloc(0)),
  record(22, 0x0301, Buffer.from([1, 255, 255, 255]), 0xffff),
  record(21, 0x0303, Buffer.from([2, 40])),
  record(21, 0x0303, Buffer.from([1, 0])),
  record(23, 0x0303, Buffer.alloc(100, 1)),
  record(24, 0x0303, Buffer.from([1, 0x40, 0])),
  record(20, 0x0303, Buffer.from([1])),
  record(99, 0x9999, Buffer.alloc(20)),
  Buffer.from('802e0100020015000000', 'hex'),
  getBytes('/healthz'),
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
];

/** No HTTP may come back below TLS. */
const garbage: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('half-close', 'reset' as const),
    fc.option(fc.nat(), { nil: null }),
    fc.boolean(),
  )
  .map(([pieces, ending, cut, isTurned]) => {
    const all = Buffer.concat(pieces);
    const bytes = cut === null ? all : all.subarray(0, 1 + (cut % all.length));
    if (isTurned && cut !== null) bytes[cut % bytes.length] = (bytes[cut % bytes.length] ?? 0) ^ 0x55;
    return fuzzCase({ kind: 'TLS: garbage below it', way: 'below TLS', writes: [bytes], ending, most: 0 });
  });

const noise: fc.Arbitrary<FuzzCase> = fc
  .uint8Array({ minLength: 1, maxLength: 500 })
  .map((bytes) => fuzzCase({ kind: 'TLS: noise below it', way: 'below TLS', writes: [Buffer.from(bytes)], most: 0 }));

/** Invalid or incomplete handshakes. */
export const tlsCases: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 3, arbitrary: garbage },
  { weight: 1, arbitrary: noise },
);

const LIMIT_MS = 12_000;
const RENEGOTIATIONS = 10;

/** Tampering with an established session, which must end or continue normally. */
export const TLS_SESSIONS = ['renegotiated', 'record cut', 'record changed', 'reset'] as const;

/** See {@link TLS_SESSIONS}. */
export type TlsSession = (typeof TLS_SESSIONS)[number];

/** Tampers with a session; returns what is wrong, or null. */
export async function tamperWithSession(way: TlsSession, port: number): Promise<string | null> {
  if (way === 'renegotiated') return checkRenegotiation(port);
  // A man in the middle tampers after the handshake.
  const between = new Between(port, way);
  try {
    const socket = await open({ port: await between.listen(), maxVersion: 'TLSv1.3' });
    const closed = closing(socket);
    between.spoil();
    socket.write(getBytes('/healthz'));
    socket.write(getBytes('/healthz'));
    // The service waits for the rest of a truncated record until the caller sends FIN.
    if (way === 'record cut') setTimeout(() => between.end(), 50);
    const end = await Promise.race([closed, sleep(LIMIT_MS, 'open' as const)]);
    return end === 'open' ? `TLS ${way}: the connection stayed open` : null;
  } finally {
    between.close();
  }
}

/** Node disconnects a client after three renegotiations (TLS 1.2). */
async function checkRenegotiation(port: number): Promise<string | null> {
  const socket = await open({ port, maxVersion: 'TLSv1.2' });
  const closed = closing(socket);
  let done = 0;
  const renegotiate = async () => {
    for (; done < RENEGOTIATIONS; done += 1) {
      const failed = await new Promise<boolean>((resolve) => {
        if (!socket.renegotiate({}, (error) => resolve(error !== null))) resolve(true);
      });
      if (failed) return;
    }
  };
  await Promise.race([renegotiate(), closed, sleep(LIMIT_MS)]);
  socket.destroy();
  return done >= RENEGOTIATIONS ? `TLS was renegotiated ${done} times` : null;
}

function open(options: { readonly port: number; readonly maxVersion: 'TLSv1.2' | 'TLSv1.3' }): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => undefined);
  });
}

function closing(socket: Socket): Promise<'closed'> {
  return new Promise((resolve) => {
    socket.resume();
    socket.once('close', () => resolve('closed'));
  });
}

/** A relay that tampers with client data on request. */
class Between {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  readonly #way: Exclude<TlsSession, 'renegotiated'>;
  #isSpoiling = false;

  constructor(port: number, way: Exclude<TlsSession, 'renegotiated'>) {
    this.#way = way;
    this.#server = createServer((client) => {
      const service = connectPlain({ host: '127.0.0.1', port });
      this.#sockets.push(client, service);
      for (const socket of this.#sockets) socket.on('error', () => undefined);
      client.on('data', (chunk: Buffer) => service.write(this.#isSpoiling ? this.#spoiled(chunk) : chunk));
      service.on('data', (chunk: Buffer) => client.write(chunk));
      client.once('close', () => service.destroy());
      service.once('close', () => client.destroy());
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => resolve((this.#server.address() as { port: number }).port));
    });
  }

  spoil(): void {
    this.#isSpoiling = true;
  }

  /** Closes the side of the service. */
  end(): void {
    this.#sockets[1]?.end();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #spoiled(chunk: Buffer): Buffer {
    if (this.#way === 'record cut') return chunk.subarray(0, 20);
    if (this.#way === 'reset') this.#sockets[1]?.resetAndDestroy();
    const changed = Buffer.from(chunk);
    changed[chunk.length - 1] = (chunk.at(-1) ?? 0) ^ 1;
    return changed;
  }
}
