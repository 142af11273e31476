import { connect, type Socket } from 'node:net';
import { quantiles } from '../proof/statistics.ts';

/*
 * Process that sends single signing requests at a rate beyond the capacity (an open loop). By
 * default a connection waits for its response; requests due while all wait are counted as unsent.
 */

/** Message to this process. */
export interface OverloadRequest {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Duration, milliseconds. */
  readonly ms: number;
  /** Requests a second. */
  readonly rate: number;
  /** Additional idle connections, each after one request. */
  readonly idle: number;
  /** Maximum requests in flight on a connection. */
  readonly pipelined: number;
}

/** Message from this process. */
export interface OverloadResult {
  /** From the first request to the last response, milliseconds. */
  readonly ms: number;
  readonly sent: number;
  /** Due while all connections waited. */
  readonly unsent: number;
  readonly signed: ResponseStatistics;
  readonly refused: ResponseStatistics;
  /** Other responses, missing responses and broken connections. */
  readonly errors: number;
  readonly firstError: string | null;
}

/** Count and latency from the due time, milliseconds. */
export interface ResponseStatistics {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

const CONNECTIONS = 2048;
const TICK_MS = 2;
const DRAIN_MS = 10_000;
const HEAD = 'POST /api/v1/sign HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ';

process.on('message', (request: OverloadRequest) => void run(request).then((result) => process.send?.(result)));

/** A connection. */
class Caller {
  readonly #socket: Socket;
  readonly #report: Report;
  readonly #free: Set<Caller>;
  readonly #maxInFlight: number;
  /** Due times of requests in flight. */
  readonly #due: number[] = [];
  #received = '';
  #isEnding = false;

  /** @param free gets this caller back with each response */
  constructor({ port, pipelined }: OverloadRequest, report: Report, free: Set<Caller>) {
    this.#maxInFlight = pipelined;
    this.#report = report;
    this.#free = free;
    this.#socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#receive(text));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      free.delete(this);
      if (!this.#isEnding) fail(report, 'a connection broke');
    });
  }

  get isWaiting(): boolean {
    return this.#due.length > 0;
  }

  send(due: number): void {
    this.#due.push(due);
    if (this.#due.length < this.#maxInFlight) this.#free.add(this);
    const body = `{"platformId":"alpha","accountId":"main","data":{"order":${this.#report.sent},"side":"buy"}}`;
    this.#report.sent += 1;
    this.#socket.write(`${HEAD}${body.length}\r\n\r\n${body}`);
  }

  end(): void {
    this.#isEnding = true;
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#received += text;
    for (let response = this.#next(); response !== null; response = this.#next()) {
      this.#count(response);
      this.#free.add(this);
    }
  }

  /** Takes the first complete response, if any. */
  #next(): string | null {
    const head = this.#received.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1];
    const end = head + 4 + Number(length);
    if (head === -1 || !(this.#received.length >= end)) return null;
    const response = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    return response;
  }

  #count(response: string): void {
    const took = performance.now() - (this.#due.shift() ?? Number.NaN);
    const status = response.slice(9, 12);
    if (status === '200' && response.includes('"signature":"')) this.#report.signed.push(took);
    else if (status === '503' && /\r\nRetry-After: \d+\r\n/.test(response)) this.#report.refused.push(took);
    else fail(this.#report, response);
  }
}

interface Report {
  sent: number;
  errors: number;
  firstError: string | null;
  readonly signed: number[];
  readonly refused: number[];
}

async function run(request: OverloadRequest): Promise<OverloadResult> {
  const { port, ms, rate, idle } = request;
  const report: Report = { sent: 0, errors: 0, firstError: null, signed: [], refused: [] };
  const silent = await Promise.all(Array.from({ length: idle }, () => openSilent(port)));
  const free = new Set<Caller>();
  const callers = Array.from({ length: CONNECTIONS }, () => new Caller(request, report, free));
  for (const caller of callers) free.add(caller);
  const begin = performance.now();
  let due = 0;
  let unsent = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = Math.min(performance.now() - begin, ms);
      for (; (due * 1000) / rate < now; due += 1) {
        // Uses the longest idle connection, as distinct callers would.
        const [caller] = free;
        if (caller === undefined) unsent += 1;
        else {
          free.delete(caller);
          caller.send(begin + (due * 1000) / rate);
        }
      }
      if (now < ms) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const last = performance.now() + DRAIN_MS;
  const waiting = () => callers.filter(({ isWaiting }) => isWaiting).length;
  while (waiting() > 0 && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  const took = performance.now() - begin;
  if (waiting() > 0) fail(report, 'no answer came', waiting());
  const broken = silent.filter(({ destroyed }) => destroyed).length;
  if (broken > 0) fail(report, 'an idle connection broke', broken);
  for (const socket of silent) socket.destroy();
  for (const caller of callers) caller.end();
  const { sent, signed, refused, errors, firstError } = report;
  return { ms: took, sent, unsent, signed: toStatistics(signed), refused: toStatistics(refused), errors, firstError };
}

function fail(report: Report, what: string, count = 1): void {
  report.errors += count;
  report.firstError ??= what;
}

/** A connection that stays idle after one request. */
function openSilent(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', () => resolve(socket));
    socket.write('GET /api/v1/accounts HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  });
}

function toStatistics(latencies: readonly number[]): ResponseStatistics {
  const { p50, p99 } = quantiles(latencies);
  return { count: latencies.length, p50, p99 };
}
