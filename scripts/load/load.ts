import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection, type HttpResponse, type HttpTarget, type PostRequest } from './http-connection.ts';

/** Open loop at a rate, or callers that each wait for their response. */
export type Pace = { readonly perSecond: number } | { readonly callers: number };

/** Outcome of a call. */
export interface Reply<Request extends PostRequest = PostRequest> extends HttpResponse {
  readonly request: Request;
  /** `Date.now()` before the first attempt. */
  readonly sentAt: number;
  /** Until the end of the last attempt, milliseconds. */
  readonly ms: number;
  /** Attempts after the first. */
  readonly retries: number;
}

/** Connections by default; further calls wait, which counts as latency. */
const MAX_CONNECTIONS = 256;

/** Callers of a server, which send these requests in turn over keep-alive connections. */
export class Load<Request extends PostRequest> {
  /** Of all calls. */
  readonly replies: Reply<Request>[] = [];
  readonly #target: HttpTarget;
  readonly #requests: readonly Request[];
  readonly #retries: number;
  readonly #maxConnections: number;
  readonly #free: HttpConnection[] = [];
  readonly #waiting: ((connection: HttpConnection) => void)[] = [];
  #connections = 0;
  #calls = 0;
  #isStopped = false;

  /** @param options retries of calls without response or with a transient error */
  constructor(
    target: HttpTarget,
    requests: readonly Request[],
    { retries = 0, maxConnections = MAX_CONNECTIONS }: { retries?: number; maxConnections?: number } = {},
  ) {
    this.#target = target;
    this.#requests = requests;
    this.#retries = retries;
    this.#maxConnections = maxConnections;
  }

  /**
   * Calls for so long or until it is stopped.
   * @returns the replies, also those of the last calls
   */
  async run(pace: Pace, ms: number): Promise<readonly Reply<Request>[]> {
    const first = this.replies.length;
    this.#isStopped = false;
    const [begin, running] = [performance.now(), new Set<Promise<void>>()];
    const isOver = () => this.#isStopped || performance.now() >= begin + ms;
    if ('callers' in pace) {
      const callRepeatedly = async () => {
        while (!isOver()) await this.#call();
      };
      await Promise.all(Array.from({ length: pace.callers }, callRepeatedly));
    } else {
      for (let sent = 0; !isOver(); await sleep(1)) {
        for (const due = ((performance.now() - begin) * pace.perSecond) / 1000; sent < due; sent += 1) {
          const call = this.#call().finally(() => running.delete(call));
          running.add(call);
        }
      }
      await Promise.all(running);
    }
    return this.replies.slice(first);
  }

  /** Ends the run; the last calls get their responses. */
  stop(): void {
    this.#isStopped = true;
  }

  async #call(): Promise<void> {
    const request = this.#requests[this.#calls % this.#requests.length];
    if (request === undefined) throw new RangeError('There are no requests.');
    this.#calls += 1;
    const [sentAt, from] = [Date.now(), performance.now()];
    let response = await this.#post(request);
    let retries = 0;
    for (; retries < this.#retries && isTransient(response); retries += 1) response = await this.#post(request);
    this.replies.push({ request, sentAt, ms: performance.now() - from, retries, ...response });
  }

  async #post(request: Request): Promise<HttpResponse> {
    const connection = await this.#take();
    const response = await connection.post(request);
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
    return response;
  }

  #take(): HttpConnection | Promise<HttpConnection> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#connections >= this.#maxConnections) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#connections += 1;
    return new HttpConnection(this.#target);
  }
}

/** No response, or a transient error of the service or a proxy. */
function isTransient({ status, body }: HttpResponse): boolean {
  return status === 0 || status >= 500 || body.includes('"SIGNATURE_FAILED"');
}
