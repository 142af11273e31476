import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as the server read it. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Which connection it came on, 1 for the first. */
  readonly connection: number;
}

/** What the server does with one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => void;

/** Something that listens where a service is expected, and does with each request what the next step says; with all others what the last one says. */
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
    // Only clients close idle connections here.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket) => this.#sockets.push(socket));
  }

  /** Starts it; its {@link ScriptedServer.url}. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  /** The address that clients take, once it listens. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on, it does this, and has seen nothing. */
  play(...steps: readonly Step[]): void {
    this.seen.length = 0;
    this.#steps = steps;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.filter(({ destroyed }) => !destroyed).length;
  }

  /** Closes every connection. */
  hangUpAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.hangUpAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Headers that every answer of the service has. */
const OF_SERVICE = { 'Content-Type': 'application/json; charset=utf-8', 'X-Correlation-Id': 'of-the-service' };

/** Answers with the envelope of a result. */
export function data(value: object): Step {
  return (response) => {
    response.writeHead(200, OF_SERVICE);
    response.end(JSON.stringify({ success: true, data: value }));
  };
}

/** Answers with the envelope of an error. */
export function refusal(status: number, code: string, details: object = {}, headers: object = {}): Step {
  return (response) => {
    response.writeHead(status, { ...OF_SERVICE, ...headers });
    response.end(JSON.stringify({ success: false, error: { code, message: 'No.', details } }));
  };
}

/** The same from something in front of the service, which has no id of it. */
export function refusalOfProxy(status: number, code: string, headers: object = {}): Step {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify({ success: false, error: { code, message: 'No.', details: {} } }));
  };
}

/** Answers with this and nothing else. */
export function text(status: number, body: string | Buffer, headers: object = OF_SERVICE): Step {
  return (response) => {
    response.writeHead(status, { ...headers });
    response.end(body);
  };
}

/** Reads the request, and closes the connection without a byte. */
export const hangUp: Step = (response) => {
  response.socket?.destroy();
};

/** Never answers. */
export const silence: Step = () => undefined;

/** What a signature looks like to whoever does not verify it. */
export const SIGNED = data({
  signature: '2d4MUkzB',
  algorithm: 'ed25519',
  encoding: 'base58',
  publicKey: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  signedAt: '2026-11-20T08:49:01.000Z',
});
