import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a caller asks for: one of these, over and over, with data that never repeats, so that no two signatures are alike. */
export interface Wish {
  readonly platformId: string;
  readonly accountId: string;
}

/** What came of one request, as far as the connection let it come. */
export interface Reply {
  /** HTTP status; 0 when no header came. */
  readonly status: number;
  /** Body as far as it came. */
  readonly text: string;
}

const CALLERS = 64;
/** Before a caller tries again where nobody listens. */
const PAUSE_MS = 5;
const TIMEOUT_MS = 20_000;
/** Of every so many calls of one caller, one is a batch. */
const BATCH_EVERY = 8;
const BATCH_SIZE = 5;
const FAILURE = '"SIGNATURE_FAILED"';
const SIGNATURE = /"signature":"([^"]+)"/g;

/** 64 callers on connections that stay open. Each sends its next request when it has the answer to the last, to wherever the service is at the time. */
export class Callers {
  readonly #wishes: readonly Wish[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  readonly #signatures: string[] = [];
  readonly #failures: Reply[] = [];
  /** Tells these callers from others before them. */
  readonly #run = randomUUID();
  #url: string | null = null;
  #isOver = false;
  #calls = 0;
  #inFlight = 0;
  #running: Promise<unknown> | null = null;

  constructor(wishes: readonly Wish[]) {
    this.#wishes = wishes;
  }

  /** Every signature that reached a caller, also those of answers that broke off behind it. */
  get signatures(): readonly string[] {
    return this.#signatures;
  }

  /** Complete answers that say that the service was at fault, for a whole request or for items of a batch, as they came. */
  get failures(): readonly Reply[] {
    return this.#failures;
  }

  /** Requests that have no complete response yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Sends every caller there from now on; the first call makes them begin. */
  call(url: string): void {
    this.#url = url;
    this.#running ??= Promise.all(Array.from({ length: CALLERS }, (_, caller) => this.#callOnAndOn(caller)));
  }

  /** Lets every caller wait, once it has its answer, until the next `call`. */
  hold(): void {
    this.#url = null;
  }

  /** Resolves when every caller has got its last answer. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    this.#agent.destroy();
  }

  /** Resolves once so many more signatures have come; rejects when that takes longer than `withinMs`. */
  receive(signatures: number, withinMs: number): Promise<void> {
    return growBy(signatures, this.#signatures, withinMs);
  }

  /** Resolves once so many more calls were refused because the service was at fault; rejects when that takes longer than `withinMs`. */
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
      const reply = await this.#callOnce(this.#url, count % BATCH_EVERY === 0);
      this.#inFlight -= 1;
      for (const [, signature = ''] of reply.text.matchAll(SIGNATURE)) this.#signatures.push(signature);
      if (reply.status === 0) await sleep(PAUSE_MS);
      else if (reply.text.includes(FAILURE)) this.#failures.push(reply);
    }
  }

  #callOnce(url: string, isBatch: boolean): Promise<Reply> {
    if (!isBatch) return this.#post(`${url}/api/v1/sign`, this.#nextRequest());
    const requests = Array.from({ length: BATCH_SIZE }, (_, index) => ({
      requestId: String(index),
      ...this.#nextRequest(),
    }));
    return this.#post(`${url}/api/v1/sign/batch`, { requests });
  }

  #nextRequest(): object {
    this.#calls += 1;
    const wish = this.#wishes[this.#calls % this.#wishes.length];
    return { ...wish, data: { run: this.#run, call: this.#calls } };
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
  const [wanted, limit] = [list.length + more, performance.now() + withinMs];
  while (list.length < wanted) {
    if (performance.now() > limit)
      throw new Error(`${more} were awaited for ${withinMs} ms; ${wanted - list.length} did not come.`);
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
