import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { settleWithin } from '../../node/settle-within.ts';
import type { Server } from '../server.ts';

/** Identifies a connection by addresses and ports, common to raw and TLS socket. */
export function formatPeer({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** Maximum number of pipelined requests of a connection (RFC 9112 §9.3.2). */
export const MAX_PIPELINED = 16;

/** In total; each can hold 64 KiB of its body. */
export const MAX_PIPELINED_TOTAL = 1024;

/** Maximum time to read a complete response, milliseconds. */
const READ_TIMEOUT_MS = 30_000;

/**
 * Bytes of unread complete responses in total: sixteen of the largest. With the work behind it some
 * 160 MiB; the smallest documented memory limit is 512 MiB.
 */
export const MAX_UNREAD_BYTES = 32 * 2 ** 20;

const PIPELINED_WARNING =
  'Connections were closed because they pipelined too many requests. Callers should wait for the response before they send the next request.';

const UNREAD_WARNING =
  'Connections were closed because too many responses were not read. Their requests may have been executed and recorded. Callers should read each response as it arrives. Check the client at lastAddress, or block it at the firewall.';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A connection with its current request and those pipelined behind it. */
interface Connection {
  /** The TLS socket, once the handshake is over. */
  socket: Socket;
  current: Exchange | null;
  readonly waiting: Exchange[];
}

const IDLE = { current: null, waiting: [] };

/**
 * The connections of a server. Handles the requests of each one at a time, in order; closes those
 * that pipeline too many or don't read; stops without losing a response.
 */
export class ServedConnections {
  readonly server: Server;
  readonly #handle: RequestListener;
  readonly #readTimeoutMs: number;
  readonly #log: ServiceLog;
  /** By {@link formatPeer}. */
  readonly #byPeer = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<object, Connection>();
  #waiting = 0;
  /** Bytes of complete but unread responses, oldest first. */
  readonly #unread = new Map<ServerResponse, number>();
  #unreadBytes = 0;
  #isClosing = false;
  #stopped: Promise<boolean> | undefined;

  /**
   * @param server not listening, without a request listener
   * @param handle the application; never gets a queued request of a closed connection
   * @param readTimeoutMs maximum time to read a complete response, milliseconds
   */
  constructor(server: Server, handle: RequestListener, log: ServiceLog, readTimeoutMs = READ_TIMEOUT_MS) {
    this.server = server;
    this.#handle = handle;
    this.#readTimeoutMs = readTimeoutMs;
    this.#log = log;
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('secureConnection', (socket: Socket) => this.#attachTlsSocket(socket));
    server.on('request', (request, response) => this.#receive({ request, response }));
  }

  /** The response in progress on a connection, if any. */
  getCurrentResponse(socket: object): ServerResponse | undefined {
    return this.#bySocket.get(socket)?.current?.response;
  }

  /**
   * Calls back once all complete requests have responses, or the connection has closed.
   * @param then gets the last response if its request body can never be complete
   */
  onAllResponded(socket: Socket, then: (incomplete: ServerResponse | undefined) => void): void {
    const { current, waiting } = this.#bySocket.get(socket) ?? IDLE;
    if (waiting.at(-1)?.request.complete === false) {
      waiting.pop();
      this.#waiting -= 1;
    }
    const last = waiting.at(-1) ?? current;
    if (last === null) return void then(undefined);
    if (!last.request.complete) return void then(last.response);
    const end = () => {
      socket.off('close', end);
      last.response.off('close', end);
      then(undefined);
    };
    socket.once('close', end);
    last.response.once('close', end);
  }

  /**
   * Drains: closes each connection after its next response, so that clients reconnect elsewhere.
   */
  endConnections(): void {
    this.#isClosing = true;
    for (const { current } of this.#byPeer.values()) if (current !== null) announceClose(current);
  }

  /** Ends connections: each after the response in progress, with `Connection: close` if possible. */
  end(isEnded: (socket: Socket) => boolean): void {
    for (const { socket, current } of this.#byPeer.values()) {
      if (!isEnded(socket)) continue;
      if (current === null) {
        socket.destroy();
      } else {
        announceClose(current);
        current.response.once('close', () => socket.destroySoon());
      }
    }
  }

  /**
   * Stops listening, closes idle connections and finishes requests in flight with `Connection:
   * close`.
   * @param graceMs timeout after which the rest is cut off, milliseconds
   * @returns whether everything ended in time
   */
  stop(graceMs: number): Promise<boolean> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<boolean> {
    const closed = this.server.listening ? once(this.server, 'close') : Promise.resolve();
    // http.Server.close would also destroy connections with a response in flight.
    NetServer.prototype.close.call(this.server);
    this.#isClosing = true;
    this.end(() => true);

    const isClosed = await settleWithin(
      graceMs,
      closed.then(() => true),
      () => false,
    );
    if (isClosed) return true;

    const open = [...this.#byPeer.values()];
    const closing = open.flatMap(({ current }) => (current === null ? [] : [once(current.response, 'close')]));
    for (const { socket } of open) socket.destroy();
    await Promise.all([closed, ...closing]);
    return false;
  }

  #add(socket: Socket): void {
    const peer = formatPeer(socket);
    const connection: Connection = { socket, current: null, waiting: [] };
    this.#byPeer.set(peer, connection);
    this.#bySocket.set(socket, connection);
    socket.once('close', () => {
      this.#waiting -= connection.waiting.splice(0).length;
      // A new connection of the peer may use the port already.
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
    });
  }

  #attachTlsSocket(socket: Socket): void {
    const connection = this.#byPeer.get(formatPeer(socket));
    if (connection === undefined) return void socket.destroy();
    connection.socket = socket;
    this.#bySocket.set(socket, connection);
  }

  #receive(exchange: Exchange): void {
    const { socket } = exchange.request;
    const connection = this.#bySocket.get(socket);
    // Node also emits requests after the last one of a connection.
    if (connection === undefined || !socket.writable) return;
    if (connection.current === null) return void this.#begin(connection, exchange);
    if (connection.waiting.length < MAX_PIPELINED && this.#waiting < MAX_PIPELINED_TOTAL) {
      connection.waiting.push(exchange);
      this.#waiting += 1;
      return;
    }
    const facts = { maxPipelined: MAX_PIPELINED };
    this.#log.warn(PIPELINED_WARNING, facts, { topic: 'pipelined requests', countAs: 'closed' });
    socket.destroy();
    this.#pauseReading();
  }

  /**
   * Pauses all connections for this tick. Node keeps up to 64 KiB of a destroyed connection that
   * long, which many could use to exhaust memory.
   */
  #pauseReading(): void {
    const sockets = [...this.#byPeer.values()].map(({ socket }) => socket).filter((socket) => !socket.isPaused());
    for (const socket of sockets) socket.pause();
    setImmediate(() => {
      for (const socket of sockets) socket.resume();
    });
  }

  #begin(connection: Connection, exchange: Exchange): void {
    const { request, response } = exchange;
    connection.current = exchange;
    // Node parses part of what follows an Upgrade request as another protocol.
    if (this.#isClosing || request.headers.upgrade !== undefined) announceClose(exchange);
    response.once('close', () => this.#end(connection, exchange));
    response.once('prefinish', () => this.#limitReading(response));
    this.#handle(request, response);
  }

  #end(connection: Connection, exchange: Exchange): void {
    const { socket } = exchange.request;
    // The response may have closed the connection.
    const next = socket.writable ? connection.waiting.shift() : undefined;
    connection.current = next ?? null;
    if (next === undefined) return;
    this.#waiting -= 1;
    // Lets other connections run between quick requests.
    setImmediate(() => {
      if (socket.writable) this.#begin(connection, next);
    });
  }

  /** A complete response holds memory, but no permit. */
  #limitReading(response: ServerResponse): void {
    const bytes = response.socket?.writableLength ?? 0;
    if (response.destroyed || bytes === 0) return;
    const timer = setTimeout(() => response.destroy(), this.#readTimeoutMs).unref();
    this.#unread.set(response, bytes);
    this.#unreadBytes += bytes;
    response.once('close', () => {
      clearTimeout(timer);
      this.#forgetUnread(response);
    });
    for (const oldest of this.#unread.keys()) {
      if (this.#unreadBytes <= MAX_UNREAD_BYTES) return;
      const lastAddress = oldest.socket?.remoteAddress ?? null;
      this.#forgetUnread(oldest);
      oldest.destroy();
      const facts = { maxUnreadBytes: MAX_UNREAD_BYTES, lastAddress };
      this.#log.warn(UNREAD_WARNING, facts, { topic: 'unread responses', countAs: 'closed' });
    }
  }

  #forgetUnread(response: ServerResponse): void {
    this.#unreadBytes -= this.#unread.get(response) ?? 0;
    this.#unread.delete(response);
  }
}

function announceClose({ response }: Exchange): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
