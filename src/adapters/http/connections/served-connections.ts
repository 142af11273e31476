import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { settleWithin } from '../../node/settle-within.ts';
import { READ_TIMEOUT_MS } from '../limits.ts';
import type { Server } from '../server.ts';

/** Maximum number of pipelined requests that wait; each can hold 64 KiB of its body. */
export const MAX_PIPELINED = 1024;

/**
 * Bytes of unread complete responses in total: sixteen of the largest. With the work behind it some
 * 160 MiB; the smallest documented memory limit is 512 MiB.
 */
export const MAX_UNREAD_BYTES = 32 * 2 ** 20;

const PIPELINED_WARNING =
  'Connections were closed because too many pipelined requests wait. Callers should wait for the response before they send the next request.';

const UNREAD_WARNING =
  'Connections were closed because too many responses were not read. Their requests may have been executed and recorded. Callers should read each response as it arrives. Check the client at lastAddress, or block it at the firewall.';

/** A request, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The connections of a server. Handles the requests of each one at a time, in order, since Node
 * reports a lost connection only to the response that it is writing; closes those that pipeline too
 * many or don't read; stops without losing a response.
 */
export class ServedConnections {
  readonly server: Server;
  readonly #handle: RequestListener;
  readonly #readTimeoutMs: number;
  readonly #log: ServiceLog;
  /** Requests without a complete response, in order, by connection; the first is being handled. */
  readonly #connections = new Map<Socket, Exchange[]>();
  #waiting = 0;
  /** Bytes of complete but unread responses, oldest first. */
  readonly #unread = new Map<ServerResponse, number>();
  #unreadBytes = 0;
  readonly #ending = new WeakSet<Socket>();
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
    const opened = server instanceof TlsServer ? 'secureConnection' : 'connection';
    server.on(opened, (socket: Socket) => this.#add(socket));
    server.on('request', (request, response) => this.#receive({ request, response }));
  }

  /**
   * Drops the last request of a connection if it waits and can never be complete.
   * @returns the last that is left; undefined if all have their complete response
   */
  dropIncomplete(socket: Socket): Exchange | undefined {
    const exchanges = this.#connections.get(socket) ?? [];
    if (exchanges.length > 1 && exchanges.at(-1)?.request.complete === false) {
      exchanges.pop();
      this.#waiting -= 1;
    }
    return exchanges.at(-1);
  }

  /** The response in progress on a connection; undefined for none. */
  getCurrentResponse(socket: Socket): ServerResponse | undefined {
    return this.#connections.get(socket)?.[0]?.response;
  }

  /** Closes each connection after its next response, so that clients reconnect elsewhere. */
  drain(): void {
    this.#isClosing = true;
    for (const [exchange] of this.#connections.values()) if (exchange !== undefined) announceClose(exchange);
  }

  /**
   * Closes each such connection after the response in progress, announced there if possible. It
   * begins no other request.
   */
  closeWhere(isClosed: (socket: Socket) => boolean): void {
    for (const [socket, [exchange]] of this.#connections) {
      if (!isClosed(socket)) continue;
      if (exchange === undefined) {
        socket.destroy();
      } else {
        this.#ending.add(socket);
        announceClose(exchange);
        exchange.response.once('close', () => socket.destroySoon());
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
    // http.Server.close would also destroy connections with a response in flight.
    NetServer.prototype.close.call(this.server);
    this.#isClosing = true;
    const closed = [...this.#connections.keys()].map((socket) => new Promise((end) => socket.once('close', end)));
    this.closeWhere(() => true);
    const isInTime = await settleWithin(
      graceMs,
      Promise.all(closed).then(() => true),
      () => false,
    );
    for (const socket of this.#connections.keys()) socket.destroy();
    await Promise.all(closed);
    return isInTime;
  }

  #add(socket: Socket): void {
    if (this.#stopped !== undefined) return void socket.destroy();
    const exchanges: Exchange[] = [];
    this.#connections.set(socket, exchanges);
    socket.once('close', () => {
      this.#waiting -= exchanges.splice(1).length;
      this.#connections.delete(socket);
    });
  }

  #receive(exchange: Exchange): void {
    const { socket } = exchange.request;
    const exchanges = this.#connections.get(socket);
    // Node also emits requests after the last one of a connection.
    if (exchanges === undefined || !socket.writable) return;
    if (exchanges.length > 0) {
      if (this.#waiting >= MAX_PIPELINED) return void this.#cutOff(socket);
      this.#waiting += 1;
    }
    exchanges.push(exchange);
    if (exchanges.length === 1) this.#begin(exchanges, exchange);
  }

  /**
   * Closes a connection, and pauses all others for this tick. Node keeps up to 64 KiB of requests
   * of a destroyed connection that long, which many could use to exhaust memory.
   */
  #cutOff(socket: Socket): void {
    const facts = { maxPipelined: MAX_PIPELINED };
    this.#log.warn(PIPELINED_WARNING, facts, { topic: 'pipelined requests', countAs: 'closed' });
    socket.destroy();
    const sockets = [...this.#connections.keys()].filter((one) => !one.isPaused());
    for (const one of sockets) one.pause();
    setImmediate(() => {
      for (const one of sockets) one.resume();
    });
  }

  #begin(exchanges: Exchange[], exchange: Exchange): void {
    const { request, response } = exchange;
    // Node drops bytes behind a request to upgrade: what follows may begin within a body.
    if (this.#isClosing || request.headers.upgrade !== undefined) announceClose(exchange);
    response.once('close', () => this.#next(exchanges, request.socket));
    response.once('prefinish', () => this.#limitReading(response));
    this.#handle(request, response);
  }

  #next(exchanges: Exchange[], socket: Socket): void {
    exchanges.shift();
    const [next] = exchanges;
    if (next === undefined) return;
    this.#waiting -= 1;
    // Lets other connections run between quick requests. The response may have closed this one.
    setImmediate(() => {
      if (this.#ending.has(socket)) socket.destroySoon();
      else if (socket.writable) this.#begin(exchanges, next);
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

/** Has the connection closed after a response, unless its headers are sent. */
export function announceClose({ response }: Pick<Exchange, 'response'>): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
