import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../load/load-process.ts';
import { residentBytes } from '../stage/sized-service.ts';
import { answerQuestions } from './asked-process.ts';
import { CallerConnection } from './caller-connection.ts';
import type { Drive, Driven } from './drive.ts';
import { LatencyList } from './latency-list.ts';
import { busySeconds, cpuSeconds } from './process-use.ts';
import { type MadeRequest, makeRequests, type RequestKind } from './request-texts.ts';

/* The process of the callers: sends requests that were made before, on raw sockets, and looks only at what it has to. */

const LAST_ANSWERS_MS = 10_000;
const SHOWN_OF_ANSWER = 600;

const made = new Map<string, readonly MadeRequest[]>();

answerQuestions(async (drive: Drive) => new Driving(drive, requestsOf(drive.requests)).run());

/** Made once for each kind. */
function requestsOf(kind: RequestKind): readonly MadeRequest[] {
  const key = JSON.stringify(kind);
  const requests = made.get(key) ?? makeRequests(kind);
  made.set(key, requests);
  return requests;
}

class Driving {
  readonly #drive: Drive;
  readonly #requests: readonly MadeRequest[];
  readonly #latencies = new LatencyList();
  readonly #samples: Reply[] = [];
  readonly #connections: CallerConnection[] = [];
  /** Connections that wait for a request, and when requests were due that wait for a connection. */
  readonly #idle: CallerConnection[] = [];
  readonly #due: number[] = [];
  #next: number;
  #head = '';
  #samplesLeft = 0;
  #inFlight = 0;
  #isOver = false;
  #fail: (error: Error) => void = () => undefined;

  constructor(drive: Drive, requests: readonly MadeRequest[]) {
    this.#drive = drive;
    this.#requests = requests;
    this.#next = Math.floor(Math.random() * requests.length);
  }

  async run(): Promise<Driven> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    try {
      return await Promise.race([failed, this.#measure()]);
    } finally {
      this.#isOver = true;
      for (const connection of this.#connections) connection.close();
    }
  }

  async #measure(): Promise<Driven> {
    const { warmUpMs, ms, samples, pids } = this.#drive;
    await this.#connect();
    const sending = this.#begin();
    await sleep(warmUpMs);
    const [from, own] = [performance.now(), process.cpuUsage()];
    const [theirs, all] = [sum(pids.map(cpuSeconds)), busySeconds()];
    this.#latencies.clear();
    this.#samplesLeft = samples;
    await sleep(ms);
    const [took, used] = [performance.now() - from, process.cpuUsage(own)];
    const answers = this.#latencies.length;
    const quantiles = this.#latencies.quantiles();
    const [cpu, busy] = [sum(pids.map(cpuSeconds)) - theirs, busySeconds() - all];
    const callerCores = (used.user + used.system) / 1000 / took;
    this.#isOver = true;
    await sending;
    await this.#lastAnswers();
    return {
      ...quantiles,
      ...{ answers, ms: took, cpuSeconds: cpu, samples: this.#samples, head: this.#head },
      callerCores,
      otherCores: Math.max(0, ((busy - cpu) / took) * 1000 - callerCores),
      rssBytes: sum(pids.map(residentBytes)),
    };
  }

  async #connect(): Promise<void> {
    const events = {
      onAnswer: (connection: CallerConnection) => this.#take(connection),
      onFault: (reason: string) => this.#fail(new Error(`The callers: ${reason}.`)),
    };
    for (let number = 0; number < this.#drive.connections; number += 1) {
      for (const target of this.#drive.targets) this.#connections.push(await CallerConnection.open(target, events));
    }
  }

  /** Resolves when no more requests are sent at a rate; at once where each answer brings the next request. */
  async #begin(): Promise<void> {
    const { perSecond } = this.#drive;
    if (perSecond !== null) {
      this.#idle.push(...this.#connections);
      return this.#sendAtRate(perSecond);
    }
    for (const connection of this.#connections) this.#send(connection, performance.now());
  }

  /** What a request waits for a free connection counts. */
  async #sendAtRate(perSecond: number): Promise<void> {
    const begin = performance.now();
    for (let sent = 0; !this.#isOver; await sleep(1)) {
      for (const due = ((performance.now() - begin) * perSecond) / 1000; sent < due; sent += 1) {
        const connection = this.#idle.shift();
        if (connection === undefined) this.#due.push(performance.now());
        else this.#send(connection, performance.now());
      }
    }
  }

  #send(connection: CallerConnection, from: number): void {
    const request = this.#requests[this.#next] as MadeRequest;
    this.#next = this.#next + 1 < this.#requests.length ? this.#next + 1 : 0;
    const isSample = this.#samplesLeft > 0;
    if (isSample) this.#samplesLeft -= 1;
    this.#inFlight += 1;
    connection.send(request, from, isSample || this.#drive.requests.batch !== null);
  }

  #take(connection: CallerConnection): void {
    const now = performance.now();
    this.#inFlight -= 1;
    this.#latencies.add(now - connection.from);
    if (connection.isKept || connection.reader.status !== 200) this.#look(connection);
    if (this.#isOver) return;
    if (this.#drive.perSecond === null) this.#send(connection, now);
    else if (this.#due.length > 0) this.#send(connection, this.#due.shift() ?? now);
    else this.#idle.push(connection);
  }

  #look({ reader, request }: CallerConnection): void {
    const text = reader.take().toString();
    const { batch } = this.#drive.requests;
    if (reader.status !== 200 || (batch !== null && !text.includes('"failed":0'))) {
      this.#fail(new Error(`An answer has status ${reader.status}: ${text.slice(0, SHOWN_OF_ANSWER)}`));
      return;
    }
    if (this.#samples.length === this.#drive.samples) return;
    const bodyAt = text.indexOf('\r\n\r\n') + 4;
    // Heads say how long their bodies are, and those differ: this one belongs to the first sample.
    if (this.#samples.length === 0) this.#head = text.slice(0, bodyAt);
    const at = Date.now();
    const reply = { wishes: request?.wishes ?? [], isBatch: batch !== null, status: reader.status };
    this.#samples.push({ ...reply, sentAt: at, receivedAt: at, body: text.slice(bodyAt) });
  }

  async #lastAnswers(): Promise<void> {
    const limit = performance.now() + LAST_ANSWERS_MS;
    while (this.#inFlight > 0) {
      if (performance.now() > limit) throw new Error(`${this.#inFlight} requests were never answered.`);
      await sleep(1);
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
