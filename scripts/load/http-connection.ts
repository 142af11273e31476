import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where requests go. */
export interface HttpTarget {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** PEM text that its certificate, for `localhost`, is checked against; null: no TLS. */
  readonly ca: string | null;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** The connection ended, or could not be made, before the whole answer was there. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

interface Pending {
  resolve(answer: HttpAnswer): void;
  reject(error: ConnectionError): void;
}

const TIMEOUT_MS = 30_000;
const END_OF_HEAD = '\r\n\r\n';

/**
 * One HTTP/1.1 connection (RFC 9112) that stays open and is made anew where it was closed, for one request at a time. For load: Node's client needs more of the machine than the service that is
 * measured with it. It never sends a request twice, and reads only answers with a Content-Length.
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

  /** @throws ConnectionError when there is no whole answer, also after 30 seconds */
  post(path: string, content: object): Promise<HttpAnswer> {
    const body = JSON.stringify(content);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: `;
    const socket = this.#open();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      socket.write(`${head}${Buffer.byteLength(body)}${END_OF_HEAD}${body}`);
    });
  }

  /** Ends the connection. What waits for an answer is rejected. */
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

  /** Events of a socket that was left already mean nothing. */
  #fail(socket: Socket | null, reason: string): void {
    if (socket === null || socket !== this.#socket) return;
    const pending = this.#pending;
    this.#leave();
    this.#reset();
    pending?.reject(new ConnectionError(reason));
  }
}
