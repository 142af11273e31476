import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from './endpoint.ts';
import { type Progress, WireFault, type WireFaultKind } from './wire-fault.ts';

/** One request as it is sent. */
export interface WireRequest {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  /** Path with query, as in the request line. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string };
  /** Empty for none. */
  readonly body: Buffer;
  readonly connectTimeoutMs: number;
  readonly maxAnswerBytes: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The answer as it came, whole. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly reusedConnection: boolean;
}

/** Sends one request and reads the whole answer; rejects with a {@link WireFault}. */
export function exchange(request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => new Exchange(request, resolve, reject));
}

/** Connections that are there, with TLS those whose handshake is done. Node's `reusedSocket` does not tell of a connection that goes from one call to another that waits for it. */
const READY = new WeakSet<Socket>();

class Exchange {
  readonly #given: WireRequest;
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #reject: (fault: WireFault) => void;
  readonly #request: ClientRequest;
  readonly #stop: () => void;
  #progress: Progress = 'waiting';
  #reusedConnection = false;
  #status: number | null = null;
  #connectTimer: NodeJS.Timeout | undefined;

  constructor(given: WireRequest, resolve: (answer: WireAnswer) => void, reject: (fault: WireFault) => void) {
    const { endpoint, method, target, headers, body, signal } = given;
    this.#given = given;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#request = endpoint.request({ ...endpoint.route, method, path: target, headers });
    this.#stop = () => this.#fail('stopped');
    this.#request.on('socket', (socket) => this.#watch(socket));
    this.#request.on('error', (error) => this.#fail('broken', error));
    this.#request.on('response', (response) => this.#read(response));
    signal.addEventListener('abort', this.#stop, { once: true });
    if (signal.aborted) this.#fail('stopped');
    else this.#request.end(body);
  }

  /** Nothing is written before the connection is there, with TLS before its handshake is done. */
  #watch(socket: Socket): void {
    if (READY.has(socket)) {
      this.#reusedConnection = true;
      this.#progress = 'sent';
      return;
    }
    this.#progress = 'connecting';
    const { endpoint, connectTimeoutMs } = this.#given;
    this.#connectTimer = setTimeout(() => this.#fail('connect-timeout'), connectTimeoutMs);
    socket.once(endpoint.isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(this.#connectTimer);
      READY.add(socket);
      this.#progress = 'sent';
    });
  }

  #read(response: IncomingMessage): void {
    this.#status = response.statusCode ?? null;
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > this.#given.maxAnswerBytes) this.#fail('too-long');
      else chunks.push(chunk);
    });
    // Node tells an answer that was cut off as an error, and no end.
    response.on('error', (error) => this.#fail('broken', error));
    response.on('end', () => {
      this.#leave();
      this.#resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks, length),
        reusedConnection: this.#reusedConnection,
      });
    });
  }

  /** The first fault counts: what follows is of the connection that is closed then. */
  #fail(kind: WireFaultKind, cause?: unknown): void {
    const [progress, reusedConnection, status] = [this.#progress, this.#reusedConnection, this.#status];
    this.#reject(new WireFault(kind, { progress, reusedConnection, status }, cause));
    this.#leave();
    this.#request.destroy();
  }

  #leave(): void {
    clearTimeout(this.#connectTimer);
    this.#given.signal.removeEventListener('abort', this.#stop);
  }
}
