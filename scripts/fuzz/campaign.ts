import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { faultOf } from './answer-faults.ts';
import { authCases } from './auth-cases.ts';
import { batchSeed } from './batch-seed.ts';
import { deniedCases } from './denied-cases.ts';
import { forwardedCases } from './forwarded-cases.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { FuzzTotals } from './fuzz-totals.ts';
import { type FuzzedService, placesOf } from './fuzzed-service.ts';
import { pipeliningCases } from './pipelining-cases.ts';
import { type FuzzedPlaces, playCase } from './play-case.ts';
import { rawCases } from './raw-cases.ts';
import { requestCases } from './request-cases.ts';
import { slowCases } from './slow-cases.ts';
import { smugglingCases } from './smuggling-cases.ts';
import { tlsCases } from './tls-cases.ts';
import { TLS_SESSIONS, tlsSessionFault } from './tls-sessions.ts';
import { Witness } from './witness.ts';

/** How long, how fast, and from which seed. */
export interface CampaignPlan {
  readonly seconds: number;
  /** The same seed makes the same cases in the same order. */
  readonly seed: number;
  /** Cases a second, at the most. */
  readonly rate: number;
}

/** Something that must not be, and the case where it was one. */
export interface Finding {
  readonly what: string;
  readonly one: FuzzCase | null;
}

const CALLERS = 24;
const BATCH = 250;
/** Slow callers of each kind. */
const SLOW_EACH = 2;
const MOST_FINDINGS = 5;
const SAMPLE_MS = 250;
/** Between two collections of garbage for the sake of measuring, milliseconds. */
const LEFT_MS = 5000;
const SUSPECTS = 3 * CALLERS;

const CASES: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 50, arbitrary: requestCases },
  { weight: 30, arbitrary: rawCases },
  { weight: 10, arbitrary: smugglingCases },
  { weight: 6, arbitrary: pipeliningCases },
  { weight: 4, arbitrary: tlsCases },
  { weight: 12, arbitrary: deniedCases },
  { weight: 4, arbitrary: forwardedCases },
  { weight: 8, arbitrary: authCases },
);

/** Sends cases to two services, batch by batch, and has an ordinary caller served between them. Ends early when it has found enough. */
export class Campaign {
  readonly totals = { http: new FuzzTotals(), https: new FuzzTotals() };
  readonly findings: Finding[] = [];
  readonly witnesses: { readonly http: Witness; readonly https: Witness };
  /** The cases that were sent last. */
  readonly suspects: FuzzCase[] = [];
  readonly #plan: CampaignPlan;
  readonly #services: { readonly http: FuzzedService; readonly https: FuzzedService };
  readonly #certificates: FuzzedPlaces['certificates'];
  #sent = 0;
  #measured = 0;

  constructor(
    plan: CampaignPlan,
    services: { readonly http: FuzzedService; readonly https: FuzzedService },
    certificates: FuzzedPlaces['certificates'],
  ) {
    this.#plan = plan;
    this.#services = services;
    this.#certificates = certificates;
    this.witnesses = { http: witnessOf(services.http), https: witnessOf(services.https) };
  }

  /** Whether both processes still run. */
  get areAlive(): boolean {
    return this.#services.http.isAlive && this.#services.https.isAlive;
  }

  /** What processes that ended said last. */
  get lastWords(): readonly string[] {
    return [this.#services.http.lastWords, this.#services.https.lastWords].filter((words) => words !== null);
  }

  async run(): Promise<void> {
    const begin = performance.now();
    const { seconds, seed } = this.#plan;
    const sampling = setInterval(() => this.#sampleMemory(), SAMPLE_MS);
    const slow = Promise.all([this.#playAll(slowCases(SLOW_EACH)), this.#spoilSessions()]);
    for (let batch = 0; performance.now() - begin < seconds * 1000 && !this.#isOver; batch += 1) {
      const cases = fc.sample(CASES, { seed: batchSeed(seed, batch), numRuns: BATCH });
      const callers = Array.from({ length: CALLERS }, async () => {
        for (let one = cases.pop(); one !== undefined && !this.#isOver; one = cases.pop())
          await this.#paced(one, begin);
      });
      await Promise.all(callers);
      await this.#callWitnesses();
      await this.#measureLeft();
    }
    clearInterval(sampling);
    if (this.areAlive) await slow;
  }

  #sampleMemory(): void {
    if (!this.areAlive) return;
    this.#services.http.sampleMemory();
    this.#services.https.sampleMemory();
  }

  /** Between batches, when next to nobody calls. */
  async #measureLeft(): Promise<void> {
    if (!this.areAlive || performance.now() - this.#measured < LEFT_MS) return;
    this.#measured = performance.now();
    await Promise.all([this.#services.http.measureLeft(), this.#services.https.measureLeft()]);
  }

  get #isOver(): boolean {
    return this.findings.length >= MOST_FINDINGS || !this.areAlive;
  }

  async #paced(one: FuzzCase, begin: number): Promise<void> {
    const due = begin + (this.#sent / this.#plan.rate) * 1000;
    this.#sent += 1;
    if (due > performance.now()) await sleep(due - performance.now());
    await this.#play(one);
  }

  async #playAll(cases: readonly FuzzCase[]): Promise<void> {
    await Promise.all(cases.map((one) => this.#play(one)));
  }

  async #play(one: FuzzCase): Promise<void> {
    this.suspects.push(one);
    if (this.suspects.length > SUSPECTS) this.suspects.shift();
    const transcript = await playCase(one, placesOf(this.#services, this.#certificates));
    this.totals[one.way === 'http' ? 'http' : 'https'].add(one, transcript);
    const what = faultOf(one, transcript);
    if (what !== null) this.findings.push({ what, one });
  }

  async #spoilSessions(): Promise<void> {
    for (const way of TLS_SESSIONS) {
      const what = await tlsSessionFault(way, this.#services.https.port);
      if (what !== null) this.findings.push({ what, one: null });
    }
  }

  async #callWitnesses(): Promise<void> {
    for (const name of ['http', 'https'] as const) {
      const what = this.areAlive ? await this.witnesses[name].fault() : null;
      const logged = this.#services[name].log.faults[0];
      if (what !== null) this.findings.push({ what: `${name}: ${what}`, one: null });
      if (logged !== undefined) this.findings.push({ what: `${name}: its log has ${logged}`, one: null });
    }
  }
}

function witnessOf({ service, client }: FuzzedService): Witness {
  return new Witness(service.url, client);
}
