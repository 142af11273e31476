import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../server-type.ts';
import { whenClosed } from '../when-closed.ts';
import { peerOf } from './connection-peer.ts';

/** One open connection and the responses that it still waits for. */
interface Connection {
  readonly socket: Socket;
  readonly awaited: Set<ServerResponse>;
}

/** Ends a server without losing an answer. Make it before the server listens, so that it sees every connection. */
export class StoppableServer {
  readonly #server: Server;
  /** By {@link peerOf}. */
  readonly #connections = new Map<string, Connection>();
  /** Those of them that have had a request, by the socket that requests have: under TLS another than that of the connection. To ask a socket for its names takes a microsecond. */
  readonly #bySocket = new WeakMap<Socket, Connection>();
  #stopped: Promise<boolean> | undefined;
  #isEnding = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#addConnection(socket));
    server.prependListener('request', (request, response) => this.#addRequest(request, response));
  }

  /** Goes on as before, but ends each connection with its next answer, so that clients which keep connections open look for another server. */
  endConnections(): void {
    this.#isEnding = true;
    for (const { awaited } of this.#connections.values()) {
      for (const response of awaited) endConnectionWith(response);
    }
  }

  /**
   * Accepts nothing more, closes idle connections at once, and answers the requests in flight with `Connection: close`. What is left after
   * `graceMs` milliseconds is cut off.
   * @returns whether everything ended in time
   */
  stop(graceMs: number): Promise<boolean> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<boolean> {
    const closed = this.#server.listening ? once(this.#server, 'close') : Promise.resolve();
    // Not the close of http.Server: it also destroys connections whose answer was written and is still on its way.
    NetServer.prototype.close.call(this.#server);
    this.endConnections();
    for (const { socket, awaited } of this.#connections.values()) {
      if (awaited.size === 0) socket.destroy();
    }

    const timer = new AbortController();
    const inTime = await Promise.race([
      closed.then(() => true),
      delay(graceMs, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    if (inTime) return true;

    const cutOff = [...this.#connections.values()].flatMap(({ awaited }) => [...awaited]);
    for (const { socket } of this.#connections.values()) socket.destroy();
    await Promise.all([closed, ...cutOff.map((response) => once(response, 'close'))]);
    return false;
  }

  #addConnection(socket: Socket): void {
    const peer = peerOf(socket);
    this.#connections.set(peer, { socket, awaited: new Set() });
    socket.once('close', () => {
      // A peer that broke off may have come back from the same port before this is noticed.
      if (this.#connections.get(peer)?.socket === socket) this.#connections.delete(peer);
    });
  }

  #connectionOf(socket: Socket): Connection | undefined {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const connection = this.#connections.get(peerOf(socket));
    if (connection !== undefined) this.#bySocket.set(socket, connection);
    return connection;
  }

  #addRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isEnding) endConnectionWith(response);
    const connection = this.#connectionOf(request.socket);
    if (connection === undefined) return;
    connection.awaited.add(response);
    whenClosed(response, () => {
      connection.awaited.delete(response);
      if (this.#stopped !== undefined && connection.awaited.size === 0) request.socket.destroySoon();
    });
  }
}

function endConnectionWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
