import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Target of requests. */
export interface HttpTarget {
  /** On 127.0.0.1. */
  readonly port: number;
  /** PEM authorities for `localhost`; null: no TLS. */
  readonly ca: string | null;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/** The connection failed before the response was complete. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

interface Pending {
  resolve(response: HttpResponse): void;
  reject(error: ConnectionError): void;
}

const TIMEOUT_MS = 30_000;
const END_OF_HEAD = '\r\n\r\n';

/**
 * A keep-alive HTTP/1.1 connection (RFC 9112) for one request at a time, cheaper than Node's
 * client, which would need more CPU time than the service. Never retries; requires Content-Length.
 */
export class HttpConnection {
  readonly #target: HttpTarget;
  #socket: Socket | null = null;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #head: string | null = null;
  #bodyBytes = 0;
  #pending: Pending | null = null;

  constructor(target: HttpTarget) {
    this.#target = target;
  }

  /** @throws ConnectionError without a complete response within 30 seconds */
  post(path: string, content: object): Promise<HttpResponse> {
    const body = JSON.stringify(content);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: `;
    const socket = this.#open();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      socket.write(`${head}${Buffer.byteLength(body)}${END_OF_HEAD}${body}`);
    });
  }

  /** Rejects the request in flight. */
  close(): void {
    this.#fail(this.#socket, 'closed here');
  }

  #open(): Socket {
    if (this.#socket !== null && !this.#socket.destroyed) return this.#socket;
    const { port, ca } = this.#target;
    const socket =
      ca === null
        ? connectPlain({ port, host: '127.0.0.1' })
        : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca });
    socket.setNoDelay();
    socket.setTimeout(TIMEOUT_MS, () => this.#fail(socket, `no answer for ${TIMEOUT_MS} ms`));
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(socket, error.code ?? error.message));
    socket.on('close', () => this.#fail(socket, 'closed by the other side'));
    this.#socket = socket;
    return socket;
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#head === null) this.#readHead();
    if (this.#head === null || this.#receivedBytes < this.#bodyBytes) return;
    const [pending, head] = [this.#pending, this.#head];
    const body = Buffer.concat(this.#received).toString('utf8', 0, this.#bodyBytes);
    this.#reset();
    if (/\r\nconnection: close/i.test(head)) this.#leave();
    pending?.resolve({ status: Number(head.slice(9, 12)), body });
  }

  #readHead(): void {
    const all = Buffer.concat(this.#received);
    const end = all.indexOf(END_OF_HEAD);
    if (end < 0) return;
    this.#head = all.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
    if (length === undefined) {
      this.#fail(this.#socket, 'an answer without Content-Length');
      return;
    }
    this.#bodyBytes = Number(length);
    this.#received = [all.subarray(end + END_OF_HEAD.length)];
    this.#receivedBytes = this.#received[0]?.length ?? 0;
  }

  #reset(): void {
    this.#pending = null;
    this.#head = null;
    this.#received = [];
    this.#receivedBytes = 0;
  }

  #leave(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  /** Ignores events of a replaced socket. */
  #fail(socket: Socket | null, reason: string): void {
    if (socket === null || socket !== this.#socket) return;
    const pending = this.#pending;
    this.#leave();
    this.#reset();
    pending?.reject(new ConnectionError(reason));
  }
}
