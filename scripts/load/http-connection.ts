import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A server. */
export interface HttpTarget {
  /** On 127.0.0.1. */
  readonly port: number;
  /** PEM authorities for `localhost`; absent: no TLS. */
  readonly ca?: string;
}

/** A request with a body of JSON. */
export interface PostRequest {
  readonly path: string;
  readonly body: string;
  readonly headers?: { readonly [name: string]: string };
}

/** A complete response, or an error of the connection as status 0. */
export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 30_000;
/** Servers close connections that are idle for some seconds. */
const MAX_IDLE_MS = 2000;
const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = '\r\n0\r\n\r\n';

/**
 * A keep-alive HTTP/1.1 connection (RFC 9112) for one request at a time, cheaper than Node's
 * client, which would need more CPU time than the service. Never retries.
 */
export class HttpConnection {
  readonly #target: HttpTarget;
  #socket: Socket | null = null;
  #received = '';
  #usedAt = 0;
  #resolve: (response: HttpResponse) => void = () => undefined;

  constructor(target: HttpTarget) {
    this.#target = target;
  }

  /** Status 0 without a complete response within 30 seconds. */
  post({ path, body, headers = {} }: PostRequest): Promise<HttpResponse> {
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more.join('')}`;
    const socket = this.#open();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}${END_OF_HEAD}${body}`);
    });
  }

  #open(): Socket {
    if (performance.now() - this.#usedAt > MAX_IDLE_MS) this.#leave();
    if (this.#socket !== null && !this.#socket.destroyed) return this.#socket;
    const { port, ca } = this.#target;
    const address = { port, host: '127.0.0.1' };
    const socket = ca === undefined ? connectPlain(address) : connectTls({ ...address, servername: 'localhost', ca });
    // Latin-1 keeps one character for each byte.
    socket.setNoDelay().setEncoding('latin1');
    socket.setTimeout(TIMEOUT_MS, () => this.#fail(socket, `no response for ${TIMEOUT_MS} ms`));
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(socket, error.code ?? error.message));
    socket.on('close', () => this.#fail(socket, 'closed by the other side'));
    this.#socket = socket;
    return socket;
  }

  #receive(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const body = completeBody(head, this.#received.slice(end + END_OF_HEAD.length));
    if (body === null) return;
    if (/\r\nconnection: close/i.test(head)) this.#leave();
    this.#settle({ status: Number(head.slice(9, 12)), body: Buffer.from(body, 'latin1').toString() });
  }

  /** Ignores events of a replaced socket. */
  #fail(socket: Socket, reason: string): void {
    if (socket !== this.#socket) return;
    this.#leave();
    this.#settle({ status: 0, body: reason });
  }

  #settle(response: HttpResponse): void {
    this.#usedAt = performance.now();
    this.#received = '';
    this.#resolve(response);
  }

  #leave(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }
}

/** Null until it is complete. */
function completeBody(head: string, received: string): string | null {
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length !== undefined) return received.length < Number(length) ? null : received;
  if (!received.endsWith(END_OF_CHUNKS)) return null;
  let body = '';
  for (let left = received, size = -1; size !== 0; ) {
    const start = left.indexOf('\r\n') + 2;
    size = Number.parseInt(left, 16);
    body += left.slice(start, start + size);
    left = left.slice(start + size + 2);
  }
  return body;
}
