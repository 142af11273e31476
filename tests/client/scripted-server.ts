import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Number of its connection, from 1. */
  readonly connection: number;
}

/** Responds to one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => void;

/** A server that responds to each request with the next step, and repeats the last. */
export class ScriptedServer {
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  #steps: readonly Step[] = [];

  constructor() {
    this.#server = createServer(async (request, response) => {
      const step = this.#steps[Math.min(this.seen.length, this.#steps.length - 1)];
      const body = (await buffer(request)).toString();
      const { method = '', url = '', headers, socket } = request;
      const seen = { method, target: url, headers, body, connection: this.#sockets.indexOf(socket) + 1 };
      this.seen.push(seen);
      step?.(response, seen);
    });
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket) => this.#sockets.push(socket));
  }

  /** Returns its {@link ScriptedServer.url}. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Replaces the steps and forgets earlier requests. */
  play(...steps: readonly Step[]): void {
    this.seen.length = 0;
    this.#steps = steps;
  }

  /** Number of open connections. */
  get open(): number {
    return this.#sockets.filter(({ destroyed }) => !destroyed).length;
  }

  hangUpAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.hangUpAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Headers of every response of the service. */
const OF_SERVICE = { 'Content-Type': 'application/json; charset=utf-8', 'X-Correlation-Id': 'of-the-service' };

/** Responds with data. */
export function data(value: object): Step {
  return (response) => {
    response.writeHead(200, OF_SERVICE);
    response.end(JSON.stringify({ success: true, data: value }));
  };
}

/** Responds with an error. */
export function refusal(status: number, code: string, details: object = {}, headers: object = {}): Step {
  return (response) => {
    response.writeHead(status, { ...OF_SERVICE, ...headers });
    response.end(JSON.stringify({ success: false, error: { code, message: 'No.', details } }));
  };
}

/** The same from a proxy, without the service's id. */
export function refusalOfProxy(status: number, code: string, headers: object = {}): Step {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify({ success: false, error: { code, message: 'No.', details: {} } }));
  };
}

/** Responds with this text only. */
export function text(status: number, body: string | Buffer, headers: object = OF_SERVICE): Step {
  return (response) => {
    response.writeHead(status, { ...headers });
    response.end(body);
  };
}

/** Closes the connection without a response. */
export const hangUp: Step = (response) => {
  response.socket?.destroy();
};

/** Never responds. */
export const silence: Step = () => undefined;

/** A well-formed signature. */
export const SIGNED = data({
  signature: '2d4MUkzB',
  algorithm: 'ed25519',
  encoding: 'base58',
  publicKey: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  signedAt: '2026-11-20T08:49:01.000Z',
});
