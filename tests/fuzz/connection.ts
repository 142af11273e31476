import { connect as connectPlain, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { Certificate, FuzzCase } from './fuzz-case.ts';
import { responsesTo } from './responses.ts';

/** The result of a connection. */
export interface Transcript {
  readonly received: Buffer;
  readonly end: /** By the service. */
    | 'closed'
    /** The caller left as planned. */
    | 'left'
    /** Silent for too long. */
    | 'hung'
    /** No connection. */
    | 'refused';
}

/** Ports on 127.0.0.1, and the certificates of callers. */
export interface ServicePorts {
  readonly http: number;
  readonly https: number;
  /** The operators' listener, over HTTPS. */
  readonly admin: number;
  readonly certificates: { readonly [Name in Certificate]: SecureContext };
}

/** Silence after which the caller is done. */
const QUIET_MS = 15;
/** Wait for a superfluous response. */
const LINGER_MS = 3;

/** Source addresses in rotation, so that none reaches the limit of failed authentication. */
const ADDRESSES = 250;

let connections = 0;

/** From 127.0.0.1 to 127.0.0.250. */
function nextAddress(): string {
  connections += 1;
  return `127.0.0.${1 + (connections % ADDRESSES)}`;
}

/** Sends a case on its own connection. */
export async function playCase(one: FuzzCase, places: ServicePorts): Promise<Transcript> {
  const play = new Play(one, places);
  try {
    return await play.run();
  } finally {
    play.end();
  }
}

function getPort({ way, isAdmin }: FuzzCase, { http, https, admin }: ServicePorts): number {
  if (way === 'http') return http;
  return isAdmin ? admin : https;
}

class Play {
  readonly #case: FuzzCase;
  readonly #socket: Socket;
  readonly #opened: Promise<boolean>;
  readonly #received: Buffer[] = [];
  readonly #closed: Promise<'closed'>;
  #isClosed = false;
  #receivedAt = 0;
  /** Complete responses in the parsed chunks, the number of those chunks, and the rest. */
  #responses = 0;
  #looked = 0;
  #unread: Buffer = Buffer.alloc(0);
  #wake = () => {};

  constructor(one: FuzzCase, places: ServicePorts) {
    this.#case = one;
    const port = getPort(one, places);
    const where = { host: '127.0.0.1', port, localAddress: nextAddress(), allowHalfOpen: true, noDelay: true };
    // Verification is not the subject here.
    const options = { ...where, rejectUnauthorized: false, secureContext: places.certificates[one.certificate] };
    const socket = one.way === 'https' ? connectTls(options) : connectPlain(where);
    this.#socket = socket;
    this.#opened = new Promise((resolve) => {
      socket.once(one.way === 'https' ? 'secureConnect' : 'connect', () => resolve(true));
      socket.once('close', () => resolve(false));
    });
    this.#closed = new Promise((resolve) => {
      const close = () => {
        this.#isClosed = true;
        this.#wake();
        resolve('closed');
      };
      socket.once('end', close).once('close', close);
    });
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#received.push(chunk);
      this.#receivedAt = performance.now();
      this.#wake();
    });
  }

  async run(): Promise<Transcript> {
    if (!(await this.#opened)) return this.#transcript('refused');
    await this.#write();
    if (this.#case.ending === 'reset') {
      // The service may or may not have read by then.
      if (this.#case.readDelayMs > 0) await sleep(this.#case.readDelayMs);
      this.#cut();
      return this.#transcript('left');
    }
    if (this.#case.readDelayMs > 0) await this.#beDeaf();
    const isHung = new Promise<'hung'>((resolve) => {
      this.#socket.setTimeout(this.#case.silenceMs, () => resolve('hung'));
    });
    return this.#transcript(await Promise.race([this.#finish(), isHung]));
  }

  end(): void {
    this.#isClosed = true;
    this.#wake();
    this.#socket.destroy();
  }

  /** Unread data causes a RST; Node sends one itself on plain connections only. */
  #cut(): void {
    if (this.#case.way === 'https') this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  async #write(): Promise<void> {
    for (const [index, bytes] of this.#case.writes.entries()) {
      if (index > 0 && this.#case.pauseMs > 0) await sleep(this.#case.pauseMs);
      if (this.#socket.writable) this.#socket.write(bytes);
    }
  }

  async #beDeaf(): Promise<void> {
    this.#socket.pause();
    await sleep(this.#case.readDelayMs);
    this.#socket.resume();
  }

  async #finish(): Promise<'closed' | 'left'> {
    const { ending } = this.#case;
    if (ending === 'responses') {
      while (!this.#isClosed && !this.#hasResponses()) await this.#next();
      await sleep(LINGER_MS);
      return this.#isClosed ? 'closed' : 'left';
    }
    if (ending === 'half-close') {
      await this.#quiet();
      this.#socket.end();
    }
    return this.#closed;
  }

  async #quiet(): Promise<void> {
    this.#receivedAt = performance.now();
    while (!this.#isClosed && performance.now() - this.#receivedAt < QUIET_MS) await sleep(QUIET_MS);
  }

  #hasResponses(): boolean {
    const more = Buffer.concat([this.#unread, ...this.#received.slice(this.#looked)]);
    this.#looked = this.#received.length;
    const { responses, rest } = responsesTo(
      { ...this.#case, methods: this.#case.methods.slice(this.#responses) },
      { received: more, end: 'left' },
    );
    this.#responses += responses.length;
    this.#unread = rest;
    return this.#responses >= this.#case.least;
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #transcript(end: Transcript['end']): Transcript {
    return { received: Buffer.concat(this.#received), end };
  }
}
