import { connect, type Socket } from 'node:net';
import { quantiles } from '../proof/quantiles.ts';

/*
 * More callers than a service can serve, in a process of their own: told an Onslaught, they send single signing requests at a set rate, whatever becomes of those before (an open loop), and tell what came back.
 * As usual clients do, they don't send a request on a connection before the answer to the last one, unless told to; what is due when all connections wait for answers is not sent, and counted.
 */

/** What this process is told. */
export interface Onslaught {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** How long, milliseconds. */
  readonly ms: number;
  /** Requests a second. */
  readonly rate: number;
  /** Connections that stay open beside, and are silent after a request of their own. */
  readonly idle: number;
  /** Requests on their way on each connection at the most. */
  readonly pipelined: number;
}

/** What it tells. */
export interface OnslaughtResult {
  /** From the first request to the last answer, milliseconds. */
  readonly ms: number;
  readonly sent: number;
  /** Due, and not sent because all connections waited for answers. */
  readonly unsent: number;
  readonly signed: Answers;
  readonly refused: Answers;
  /** Answers of any other kind, requests without an answer, and connections that broke. */
  readonly errors: number;
  /** The first of them. */
  readonly firstError: string | null;
}

/** Answers of one kind: how many, and how long they took from when their request was due, milliseconds. */
export interface Answers {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

const CONNECTIONS = 2048;
const TICK_MS = 2;
const LAST_ANSWERS_MS = 10_000;
const HEAD = 'POST /api/v1/sign HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ';

process.on('message', (onslaught: Onslaught) => void run(onslaught).then((result) => process.send?.(result)));

/** One connection, with so many requests on their way at most. */
class Caller {
  readonly #socket: Socket;
  readonly #report: Report;
  readonly #free: Set<Caller>;
  readonly #most: number;
  /** When the requests were due whose answers are waited for. */
  readonly #due: number[] = [];
  #received = '';
  #isEnding = false;

  /** @param free gets this caller back with each answer */
  constructor({ port, pipelined }: Onslaught, report: Report, free: Set<Caller>) {
    this.#most = pipelined;
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
    if (this.#due.length < this.#most) this.#free.add(this);
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
    for (let answer = this.#next(); answer !== null; answer = this.#next()) {
      this.#count(answer);
      this.#free.add(this);
    }
  }

  /** Takes the first whole answer; null when there is none. */
  #next(): string | null {
    const head = this.#received.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1];
    const end = head + 4 + Number(length);
    if (head === -1 || !(this.#received.length >= end)) return null;
    const answer = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    return answer;
  }

  #count(answer: string): void {
    const took = performance.now() - (this.#due.shift() ?? Number.NaN);
    const status = answer.slice(9, 12);
    if (status === '200' && answer.includes('"signature":"')) this.#report.signed.push(took);
    else if (status === '503' && /\r\nRetry-After: \d+\r\n/.test(answer)) this.#report.refused.push(took);
    else fail(this.#report, answer);
  }
}

interface Report {
  sent: number;
  errors: number;
  firstError: string | null;
  readonly signed: number[];
  readonly refused: number[];
}

async function run(onslaught: Onslaught): Promise<OnslaughtResult> {
  const { port, ms, rate, idle } = onslaught;
  const report: Report = { sent: 0, errors: 0, firstError: null, signed: [], refused: [] };
  const silent = await Promise.all(Array.from({ length: idle }, () => openSilent(port)));
  const free = new Set<Caller>();
  const callers = Array.from({ length: CONNECTIONS }, () => new Caller(onslaught, report, free));
  for (const caller of callers) free.add(caller);
  const begin = performance.now();
  let due = 0;
  let unsent = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = Math.min(performance.now() - begin, ms);
      for (; (due * 1000) / rate < now; due += 1) {
        // Who has waited longest for another request: a connection of its own for each caller.
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
  const last = performance.now() + LAST_ANSWERS_MS;
  const unanswered = () => callers.filter(({ isWaiting }) => isWaiting).length;
  while (unanswered() > 0 && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  const took = performance.now() - begin;
  if (unanswered() > 0) fail(report, 'no answer came', unanswered());
  const broken = silent.filter(({ destroyed }) => destroyed).length;
  if (broken > 0) fail(report, 'an idle connection broke', broken);
  for (const socket of silent) socket.destroy();
  for (const caller of callers) caller.end();
  const { sent, signed, refused, errors, firstError } = report;
  return { ms: took, sent, unsent, signed: answers(signed), refused: answers(refused), errors, firstError };
}

function fail(report: Report, what: string, count = 1): void {
  report.errors += count;
  report.firstError ??= what;
}

/** A connection that made one request and stays open. */
function openSilent(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', () => resolve(socket));
    socket.write('GET /api/v1/accounts HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  });
}

function answers(latencies: readonly number[]): Answers {
  const { p50, p99 } = quantiles(latencies);
  return { count: latencies.length, p50, p99 };
}
