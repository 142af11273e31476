import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { noticesTogether } from '../notices-together.ts';
import type { Server } from '../server-type.ts';
import { peerOf } from './connection-peer.ts';

/**
 * Requests that may wait on a connection for the response before them (pipelining, RFC 9112
 * §9.3.2).
 */
export const MAX_PIPELINED = 16;

/** Requests that may wait so on all connections together: each can hold 64 KiB of its body. */
export const MAX_PIPELINED_IN_ALL = 1024;

/** How long a caller may take to read a response that is complete, milliseconds. */
const READING_MS = 30_000;

/**
 * Most bytes of complete responses that wait to be read, on all connections together: sixteen of
 * the largest. The process takes some 160 MiB for that many and the work on those that follow them,
 * as much again for all else, and the smallest memory limit that is published is 512 MiB.
 */
export const MAX_UNREAD_BYTES = 32 * 2 ** 20;

const PIPELINED_WARNING =
  'Connections were closed because they pipelined too many requests. Callers should wait for a response before they send the next request.';

const UNREAD_WARNING =
  'Connections were closed because too many responses waited to be read; what was asked for on them may be done and recorded. Callers should read each response as it comes. Look at what the last address runs, or block it at the firewall.';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A connection, the request that is being handled and those that wait for its response. */
interface Connection {
  /** Under TLS, the socket above it once the handshake is over. */
  socket: Socket;
  current: Exchange | null;
  /** The one before, where it was answered while its body was still on its way. */
  answered: Exchange | null;
  readonly waiting: Exchange[];
}

const NOTHING = { current: null, answered: null, waiting: [] };

/**
 * The connections of a server. Requests of one connection are handled one at a time, in their
 * order; a connection that pipelines too many, or whose caller does not read its response, is
 * closed. Ends the server without losing a response.
 */
export class ServedConnections {
  readonly server: Server;
  readonly #handle: RequestListener;
  readonly #readingMs: number;
  readonly #tellPipelined: () => void;
  readonly #tellUnread: () => void;
  /** By {@link peerOf}, which the sockets below and above TLS have in common. */
  readonly #byPeer = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<object, Connection>();
  #waiting = 0;
  /** Complete responses that are not read yet, with their bytes; the longest wait first. */
  readonly #unread = new Map<ServerResponse, number>();
  #unreadBytes = 0;
  #lastUnreadAddress: string | null = null;
  #isEnding = false;
  #stopped: Promise<boolean> | undefined;

  /**
   * @param server not listening yet and without a listener for requests
   * @param handle the application; it never gets a request whose turn had not come when its
   * connection closed
   * @param readingMs how long a caller may take to read a response that is complete, milliseconds
   */
  constructor(server: Server, handle: RequestListener, log: ServiceLog, readingMs = READING_MS) {
    this.server = server;
    this.#handle = handle;
    this.#readingMs = readingMs;
    this.#tellPipelined = noticesTogether((closed) =>
      log.warn(PIPELINED_WARNING, { closed, maxPipelined: MAX_PIPELINED }),
    );
    this.#tellUnread = noticesTogether((closed) =>
      log.warn(UNREAD_WARNING, { closed, maxUnreadBytes: MAX_UNREAD_BYTES, lastAddress: this.#lastUnreadAddress }),
    );
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('secureConnection', (socket: Socket) => this.#secure(socket));
    server.on('request', (request, response) => this.#receive({ request, response }));
  }

  /** The response that is being made on this connection, if there is one. */
  currentOf(socket: object): ServerResponse | undefined {
    return this.#bySocket.get(socket)?.current?.response;
  }

  /**
   * Calls back once all complete requests of a connection are answered, or it has closed.
   * @param then gets the response to the last request, given or not, if the body of that request
   * can never be complete
   */
  whenAnswered(socket: Socket, then: (incomplete: ServerResponse | undefined) => void): void {
    const { current, answered, waiting } = this.#bySocket.get(socket) ?? NOTHING;
    if (waiting.at(-1)?.request.complete === false) {
      waiting.pop();
      this.#waiting -= 1;
    }
    const last = waiting.at(-1) ?? current ?? answered;
    if (last?.request.complete === false) return void then(last.response);
    if (last === null || last === answered) return void then(undefined);
    const end = () => {
      socket.off('close', end);
      last.response.off('close', end);
      then(undefined);
    };
    socket.once('close', end);
    last.response.once('close', end);
  }

  /**
   * Goes on as before, but ends each connection with its next response, so that clients look for
   * another server.
   */
  endConnections(): void {
    this.#isEnding = true;
    for (const { current } of this.#byPeer.values()) if (current !== null) announceEnd(current);
  }

  /**
   * Accepts nothing more, closes idle connections at once, and answers the requests in flight with
   * `Connection: close`.
   * @param graceMs after which what is left is cut off, milliseconds
   * @returns whether everything ended in time
   */
  stop(graceMs: number): Promise<boolean> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<boolean> {
    const closed = this.server.listening ? once(this.server, 'close') : Promise.resolve();
    // Not the close of http.Server: it also destroys connections whose response is still on its
    // way.
    NetServer.prototype.close.call(this.server);
    this.endConnections();
    for (const { socket, current } of this.#byPeer.values()) if (current === null) socket.destroy();

    const timer = new AbortController();
    const inTime = await Promise.race([
      closed.then(() => true),
      delay(graceMs, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    if (inTime) return true;

    const left = [...this.#byPeer.values()];
    const cutOff = left.flatMap(({ current }) => (current === null ? [] : [once(current.response, 'close')]));
    for (const { socket } of left) socket.destroy();
    await Promise.all([closed, ...cutOff]);
    return false;
  }

  #add(socket: Socket): void {
    const peer = peerOf(socket);
    const connection: Connection = { socket, current: null, answered: null, waiting: [] };
    this.#byPeer.set(peer, connection);
    this.#bySocket.set(socket, connection);
    socket.once('close', () => {
      this.#waiting -= connection.waiting.splice(0).length;
      // A peer that broke off may have come back from the same port before this is noticed.
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
    });
  }

  #secure(socket: Socket): void {
    const connection = this.#byPeer.get(peerOf(socket));
    if (connection === undefined) return void socket.destroy();
    connection.socket = socket;
    this.#bySocket.set(socket, connection);
  }

  #receive(exchange: Exchange): void {
    const { socket } = exchange.request;
    const connection = this.#bySocket.get(socket);
    // Node hands on what came with or after a request that was to be the last of its connection.
    if (connection === undefined || !socket.writable) return;
    if (connection.current === null) return void this.#begin(connection, exchange);
    if (connection.waiting.length < MAX_PIPELINED && this.#waiting < MAX_PIPELINED_IN_ALL) {
      connection.waiting.push(exchange);
      this.#waiting += 1;
      return;
    }
    this.#tellPipelined();
    socket.destroy();
    this.#readLater();
  }

  /**
   * Reads from no connection for the rest of this turn of the event loop. What Node has read of a
   * connection that was cut off, up to 64 KiB with thousands of requests, it keeps as long; many
   * such connections would together take all memory.
   */
  #readLater(): void {
    const sockets = [...this.#byPeer.values()].map(({ socket }) => socket).filter((socket) => !socket.isPaused());
    for (const socket of sockets) socket.pause();
    setImmediate(() => {
      for (const socket of sockets) socket.resume();
    });
  }

  #begin(connection: Connection, exchange: Exchange): void {
    const { request, response } = exchange;
    connection.current = exchange;
    // Node reads what follows a request with Upgrade as another protocol, in part.
    if (this.#isEnding || request.headers.upgrade !== undefined) announceEnd(exchange);
    response.once('close', () => this.#end(connection, exchange));
    response.once('prefinish', () => this.#limitReading(response));
    this.#handle(request, response);
  }

  #end(connection: Connection, exchange: Exchange): void {
    const { socket } = exchange.request;
    connection.answered = exchange.request.complete ? null : exchange;
    // The response may have been the last of its connection.
    const next = socket.writable ? connection.waiting.shift() : undefined;
    connection.current = next ?? null;
    if (next === undefined) {
      if (this.#stopped !== undefined) socket.destroySoon();
      return;
    }
    this.#waiting -= 1;
    // In a later turn of the event loop, so that many requests with quick responses are not one
    // long piece of work.
    setImmediate(() => {
      if (socket.writable) this.#begin(connection, next);
    });
  }

  /** A response that is complete takes no room of those that are worked on any more, but memory. */
  #limitReading(response: ServerResponse): void {
    const bytes = response.socket?.writableLength ?? 0;
    if (response.destroyed || bytes === 0) return;
    const timer = setTimeout(() => response.destroy(), this.#readingMs).unref();
    this.#unread.set(response, bytes);
    this.#unreadBytes += bytes;
    response.once('close', () => {
      clearTimeout(timer);
      this.#forgetUnread(response);
    });
    for (const longest of this.#unread.keys()) {
      if (this.#unreadBytes <= MAX_UNREAD_BYTES) return;
      this.#lastUnreadAddress = longest.socket?.remoteAddress ?? null;
      this.#forgetUnread(longest);
      longest.destroy();
      this.#tellUnread();
    }
  }

  #forgetUnread(response: ServerResponse): void {
    this.#unreadBytes -= this.#unread.get(response) ?? 0;
    this.#unread.delete(response);
  }
}

function announceEnd({ response }: Exchange): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
