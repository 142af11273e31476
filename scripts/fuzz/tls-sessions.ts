import { connect as connectPlain, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { getBytes } from './http-text.ts';

const LIMIT_MS = 12_000;
const RENEGOTIATIONS = 10;

/** What is done to a session of TLS that stands; each of them ends, or is served as ever. */
export const TLS_SESSIONS = ['renegotiated', 'record cut', 'record changed', 'reset'] as const;

/** See {@link TLS_SESSIONS}. */
export type TlsSession = (typeof TLS_SESSIONS)[number];

/** Opens a session, does that to it and looks what the service does; null, or what is wrong. */
export async function tlsSessionFault(way: TlsSession, port: number): Promise<string | null> {
  if (way === 'renegotiated') return renegotiationFault(port);
  // Between both ends stands one who spoils what comes after the handshake.
  const between = new Between(port, way);
  try {
    const socket = await open({ port: await between.listen(), maxVersion: 'TLSv1.3' });
    const closed = closing(socket);
    between.spoil();
    socket.write(getBytes('/healthz'));
    socket.write(getBytes('/healthz'));
    // A record that is cut leaves the service waiting for the rest: until the caller says that there is none.
    if (way === 'record cut') setTimeout(() => between.end(), 50);
    const end = await Promise.race([closed, sleep(LIMIT_MS, 'open' as const)]);
    return end === 'open' ? `TLS ${way}: the connection stayed open` : null;
  } finally {
    between.close();
  }
}

/** A client that asks for new keys over and over (TLS 1.2) is cut off by Node after three times. */
async function renegotiationFault(port: number): Promise<string | null> {
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

/** Hands on what both sides send, until it is told to spoil what the client sends. */
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

  /** Ends what goes to the service. */
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
