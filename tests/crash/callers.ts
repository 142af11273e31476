import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Request types, with data that never repeats, so that no two signatures are equal. */
export interface RequestType {
  readonly platformId: string;
  readonly accountId: string;
}

/** The outcome of one request. */
export interface Reply {
  /** HTTP status; 0 without a header. */
  readonly status: number;
  /** The body, perhaps cut. */
  readonly text: string;
}

const CALLERS = 64;
/** Pause when nobody listens. */
const PAUSE_MS = 5;
const TIMEOUT_MS = 20_000;
/** One in this many calls of a caller is a batch, and the next one a dry run. */
const BATCH_EVERY = 8;
const BATCH_SIZE = 5;
const FAILURE = '"SIGNATURE_FAILED"';
const SIGNATURE = /"signature":"([^"]+)"/g;

/**
 * 64 callers with keep-alive connections; each sends its next request after the last response, to
 * the current service.
 */
export class Callers {
  readonly #requestTypes: readonly RequestType[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  readonly #signatures: string[] = [];
  readonly #failures: Reply[] = [];
  /** Distinguishes these callers from earlier ones. */
  readonly #run = randomUUID();
  #url: string | null = null;
  #isOver = false;
  #calls = 0;
  #inFlight = 0;
  #running: Promise<unknown> | null = null;

  constructor(requestTypes: readonly RequestType[]) {
    this.#requestTypes = requestTypes;
  }

  /** Every signature received, also in responses that broke off later. */
  get signatures(): readonly string[] {
    return this.#signatures;
  }

  /** Complete responses with a service failure, for a request or its items. */
  get failures(): readonly Reply[] {
    return this.#failures;
  }

  /** Directs every caller there; the first call starts them. */
  call(url: string): void {
    this.#url = url;
    this.#running ??= Promise.all(Array.from({ length: CALLERS }, (_, caller) => this.#callOnAndOn(caller)));
  }

  /** Pauses every caller until the next `call`. Resolves when each has its response. */
  async hold(): Promise<void> {
    this.#url = null;
    while (this.#inFlight > 0) await sleep(PAUSE_MS);
  }

  /** Resolves when every caller has its last response. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    this.#agent.destroy();
  }

  /** Resolves after that many more signatures; rejects after `withinMs`. */
  receive(signatures: number, withinMs: number): Promise<void> {
    return growBy(signatures, this.#signatures, withinMs);
  }

  /** Resolves after that many more service failures; rejects after `withinMs`. */
  fail(calls: number, withinMs: number): Promise<void> {
    return growBy(calls, this.#failures, withinMs);
  }

  async #callOnAndOn(caller: number): Promise<void> {
    for (let count = caller; !this.#isOver; count += 1) {
      if (this.#url === null) {
        await sleep(PAUSE_MS);
        continue;
      }
      this.#inFlight += 1;
      const reply = await this.#callOnce(this.#url, count % BATCH_EVERY);
      this.#inFlight -= 1;
      for (const [, signature = ''] of reply.text.matchAll(SIGNATURE)) this.#signatures.push(signature);
      if (reply.status === 0) await sleep(PAUSE_MS);
      else if (reply.text.includes(FAILURE)) this.#failures.push(reply);
    }
  }

  #callOnce(url: string, turn: number): Promise<Reply> {
    if (turn > 1) return this.#post(`${url}/api/v1/sign`, this.#nextRequest());
    if (turn === 1) return this.#post(`${url}/api/v1/sign?dryRun=true`, this.#nextRequest());
    const requests = Array.from({ length: BATCH_SIZE }, (_, index) => ({
      requestId: String(index),
      ...this.#nextRequest(),
    }));
    return this.#post(`${url}/api/v1/sign/batch`, { requests });
  }

  #nextRequest(): object {
    this.#calls += 1;
    const requestType = this.#requestTypes[this.#calls % this.#requestTypes.length];
    return { ...requestType, data: { run: this.#run, call: this.#calls } };
  }

  #post(url: string, body: object): Promise<Reply> {
    const text = JSON.stringify(body);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': text.length };
    return new Promise((resolve) => {
      const settle = (status: number, received: string) => resolve({ status, text: received });
      const sent = request(url, { method: 'POST', agent: this.#agent, headers, timeout: TIMEOUT_MS }, (response) =>
        collect(response, settle),
      );
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => settle(0, ''));
      sent.end(text);
    });
  }
}

async function growBy(more: number, list: readonly unknown[], withinMs: number): Promise<void> {
  const [expected, limit] = [list.length + more, performance.now() + withinMs];
  while (list.length < expected) {
    if (performance.now() > limit)
      throw new Error(`${more} were awaited for ${withinMs} ms; ${expected - list.length} did not come.`);
    await sleep(PAUSE_MS);
  }
}

function collect(response: IncomingMessage, settle: (status: number, received: string) => void): void {
  let received = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  response.on('error', () => undefined);
  response.on('close', () => settle(response.complete ? Number(response.statusCode) : 0, received));
}
