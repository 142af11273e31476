import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { authCases, type ClientCertificates, deniedCases, forwardedCases } from './caller-cases.ts';
import { playCase, type Transcript } from './connection.ts';
import type { FuzzCase } from './fuzz-case.ts';
import type { FuzzedService } from './fuzzed-service.ts';
import { faultOf } from './invariants.ts';
import { rawCases } from './raw-cases.ts';
import { requestCases } from './request-cases.ts';
import { responsesTo } from './responses.ts';
import { pipeliningCases, smugglingCases } from './smuggling-cases.ts';
import { tlsCases } from './tls-cases.ts';

/** Families of cases, and how many of 124 cases are of each. */
export const FAMILIES = {
  requests: { weight: 50, cases: requestCases },
  'raw bytes': { weight: 30, cases: rawCases },
  smuggling: { weight: 10, cases: smugglingCases },
  pipelining: { weight: 6, cases: pipeliningCases },
  'bytes below TLS': { weight: 4, cases: tlsCases },
  'denied callers': { weight: 12, cases: deniedCases },
  'forwarded addresses': { weight: 4, cases: forwardedCases },
  'mutual authentication': { weight: 8, cases: authCases },
} as const satisfies { readonly [name: string]: { readonly weight: number; readonly cases: fc.Arbitrary<FuzzCase> } };

/** See {@link FAMILIES}. */
export type FamilyName = keyof typeof FAMILIES;

/** How long, how fast, and from which seed. */
export interface CampaignPlan {
  readonly seconds: number;
  /** The same seed generates the same cases in the same order. */
  readonly seed: number;
  /** Cases a second, at most. */
  readonly rate: number;
}

/** What came of the cases of one kind. */
export interface KindTotals {
  cases: number;
  responses: number;
  /** Connections that the service closed. */
  closed: number;
}

interface Failing {
  readonly seed: number;
  readonly path: string;
  readonly fault: string;
}

const CALLERS = 24;
/** Cases of one fast-check run. */
const RUN = 20;
const SHRINK_MS = 20_000;
/** Bytes that are printed of each write of a failing case. */
const SHOWN_BYTES = 1024;
const WEIGHTS = Object.values(FAMILIES).reduce((sum, { weight }) => sum + weight, 0);
const SIGNATURE = /"signature":"/g;

/** Runs properties over two services: every generated case keeps the invariants (invariants.ts). */
export class Campaign {
  readonly kinds = new Map<string, KindTotals>();
  readonly statuses = new Map<number, number>();
  /** Signatures in whole responses. */
  readonly signatures = { http: 0, https: 0 };
  readonly #services: { readonly http: FuzzedService; readonly https: FuzzedService };
  readonly #certificates: ClientCertificates['contexts'];
  #isFailed = false;

  constructor(
    services: { readonly http: FuzzedService; readonly https: FuzzedService },
    certificates: ClientCertificates['contexts'],
  ) {
    this.#services = services;
    this.#certificates = certificates;
  }

  /**
   * Plays cases of a family until the time is over or any family failed. The faults, one per caller
   * at most.
   */
  async run(family: FamilyName, { seconds, seed, rate }: CampaignPlan): Promise<readonly Failing[]> {
    const share = FAMILIES[family].weight / WEIGHTS;
    const callers = Math.max(1, Math.round(CALLERS * share));
    const begin = performance.now();
    const failing: Failing[] = [];
    let sent = 0;
    const pace = async () => {
      const due = begin + (sent / (rate * share)) * 1000;
      sent += 1;
      if (due > performance.now()) await sleep(due - performance.now());
    };
    const call = async (caller: number) => {
      for (let run = 0; performance.now() - begin < seconds * 1000 && !this.#isFailed; run += 1) {
        const runSeed = seedOf(seed, family, caller, run);
        const property = this.#property(family, pace);
        const details = await fc.check(property, { seed: runSeed, numRuns: RUN, endOnFailure: true });
        if (!details.failed) continue;
        this.#isFailed = true;
        failing.push({ seed: runSeed, path: details.counterexamplePath ?? '0', fault: messageOf(details) });
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
    return failing;
  }

  /**
   * Plays a failing case again, alone, and shrinks it; the report for a person. Ended services are
   * started again.
   */
  async shrink(family: FamilyName, { seed, path, fault }: Failing): Promise<string> {
    const again = `npm run fuzz -- --replay '${family}' --seed ${seed} --path ${path}`;
    const property = this.#property(family, () => this.#revive());
    const details = await fc.check(property, { seed, path, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS });
    await this.#revive();
    if (!details.failed || details.counterexample === null) {
      return `${fault}\n  once; not when it was sent again: ${again}`;
    }
    return `${messageOf(details)}\n${caseText(details.counterexample[0])}\n  again: ${again}`;
  }

  /** Plays one case; null, or what is wrong. */
  async play(one: FuzzCase): Promise<string | null> {
    const { http, https } = this.#services;
    const places = { http: http.port, https: https.port, admin: https.adminPort, certificates: this.#certificates };
    const transcript = await playCase(one, places);
    this.#count(one, transcript);
    return faultOf(one, transcript);
  }

  #property(family: FamilyName, before: () => Promise<void>): fc.IAsyncProperty<[FuzzCase]> {
    return fc.asyncProperty(FAMILIES[family].cases, async (one) => {
      await before();
      const fault = await this.play(one);
      if (fault !== null) throw new Error(`${one.kind}: ${fault}`);
    });
  }

  async #revive(): Promise<void> {
    await Promise.all([this.#services.http.revive(), this.#services.https.revive()]);
  }

  #count(one: FuzzCase, transcript: Transcript): void {
    const { responses } = responsesTo(one, transcript);
    const totals = this.kinds.get(one.kind) ?? { cases: 0, responses: 0, closed: 0 };
    this.kinds.set(one.kind, totals);
    totals.cases += 1;
    totals.responses += responses.length;
    totals.closed += transcript.end === 'closed' ? 1 : 0;
    for (const { status, body } of responses) {
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      const count = status === 200 ? (body.match(SIGNATURE)?.length ?? 0) : 0;
      this.signatures[one.way === 'http' ? 'http' : 'https'] += count;
    }
  }
}

/** The seed of one fast-check run, far from that of every other: 32 bits, signed. */
export function seedOf(seed: number, family: string, caller: number, run: number): number {
  return createHash('sha256').update(`${seed} ${family} ${caller} ${run}`).digest().readInt32LE();
}

function messageOf({ errorInstance }: fc.RunDetails<[FuzzCase]>): string {
  return errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
}

function caseText({ kind, way, ending, pauseMs, writes }: FuzzCase): string {
  const shown = writes.map(
    (bytes) => `  ${bytes.length} bytes: ${JSON.stringify(bytes.toString('latin1', 0, SHOWN_BYTES))}`,
  );
  return [`  ${kind}; ${way}; ${ending}; writes: ${writes.length}, ${pauseMs} ms apart`, ...shown].join('\n');
}
