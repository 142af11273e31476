import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { type ClientCertificates, deniedCases, forwardedCases } from './caller-cases.ts';
import { playCase, type Transcript } from './connection.ts';
import type { FuzzCase } from './fuzz-case.ts';
import type { FuzzedService } from './fuzzed-service.ts';
import { findViolation } from './invariants.ts';
import { rawCases } from './raw-cases.ts';
import { requestCases } from './request-cases.ts';
import { responsesTo } from './responses.ts';
import { pipeliningCases, smugglingCases } from './smuggling-cases.ts';
import { tlsCases } from './tls-cases.ts';

/** Families of cases with their share of 116. */
export const FAMILIES = {
  requests: { weight: 50, cases: requestCases },
  'raw bytes': { weight: 30, cases: rawCases },
  smuggling: { weight: 10, cases: smugglingCases },
  pipelining: { weight: 6, cases: pipeliningCases },
  'bytes below TLS': { weight: 4, cases: tlsCases },
  'denied callers': { weight: 12, cases: deniedCases },
  'forwarded addresses': { weight: 4, cases: forwardedCases },
} as const satisfies { readonly [name: string]: { readonly weight: number; readonly cases: fc.Arbitrary<FuzzCase> } };

/** See {@link FAMILIES}. */
export type FamilyName = keyof typeof FAMILIES;

/** Duration, rate and seed. */
export interface CampaignPlan {
  readonly seconds: number;
  /** Determines the cases and their order. */
  readonly seed: number;
  /** Maximum number of cases a second. */
  readonly rate: number;
}

/** Results of the cases of one kind. */
export interface KindTotals {
  cases: number;
  responses: number;
  /** Closed by the service. */
  closed: number;
}

interface Failing {
  readonly seed: number;
  readonly path: string;
  readonly error: string;
}

const CALLERS = 24;
/** Cases of a fast-check run. */
const RUN = 20;
const SHRINK_MS = 20_000;
/** Printed bytes of each write of a failing case. */
const SHOWN_BYTES = 1024;
const WEIGHTS = Object.values(FAMILIES).reduce((sum, { weight }) => sum + weight, 0);
const SIGNATURE = /"signature":"/g;

/** Runs properties over two services: every case keeps the invariants (invariants.ts). */
export class Campaign {
  readonly kinds = new Map<string, KindTotals>();
  readonly statuses = new Map<number, number>();
  /** Signatures in complete responses. */
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
   * Runs a family until the time is over or any family failed; returns at most one failure per
   * caller.
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
        const runSeed = deriveSeed(seed, family, caller, run);
        const property = this.#property(family, pace);
        const details = await fc.check(property, { seed: runSeed, numRuns: RUN, endOnFailure: true });
        if (!details.failed) continue;
        this.#isFailed = true;
        failing.push({ seed: runSeed, path: details.counterexamplePath ?? '0', error: formatMessage(details) });
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
    return failing;
  }

  /**
   * Replays and shrinks a failing case; returns a readable report. Restarts services that ended.
   */
  async shrink(family: FamilyName, { seed, path, error }: Failing): Promise<string> {
    const again = `npm run fuzz -- --replay '${family}' --seed=${seed} --path=${path}`;
    const property = this.#property(family, () => this.#revive());
    const details = await fc.check(property, { seed, path, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS });
    await this.#revive();
    if (!details.failed || details.counterexample === null) {
      return `${error}\n  once; not when it was sent again: ${again}`;
    }
    return `${formatMessage(details)}\n${caseText(details.counterexample[0])}\n  again: ${again}`;
  }

  /** Runs one case; returns what is wrong, or null. */
  async play(one: FuzzCase): Promise<string | null> {
    const { http, https } = this.#services;
    const places = { http: http.port, https: https.port, admin: https.adminPort, certificates: this.#certificates };
    const transcript = await playCase(one, places);
    this.#count(one, transcript);
    return findViolation(one, transcript);
  }

  #property(family: FamilyName, before: () => Promise<void>): fc.IAsyncProperty<[FuzzCase]> {
    return fc.asyncProperty(FAMILIES[family].cases, async (one) => {
      await before();
      const error = await this.play(one);
      if (error !== null) throw new Error(`${one.kind}: ${error}`);
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

/** The seed of a fast-check run: 32 bits, signed. */
export function deriveSeed(seed: number, family: string, caller: number, run: number): number {
  return createHash('sha256').update(`${seed} ${family} ${caller} ${run}`).digest().readInt32LE();
}

function formatMessage({ errorInstance }: fc.RunDetails<[FuzzCase]>): string {
  return errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
}

function caseText({ kind, way, ending, pauseMs, writes }: FuzzCase): string {
  const shown = writes.map(
    (bytes) => `  ${bytes.length} bytes: ${JSON.stringify(bytes.toString('latin1', 0, SHOWN_BYTES))}`,
  );
  return [`  ${kind}; ${way}; ${ending}; writes: ${writes.length}, ${pauseMs} ms apart`, ...shown].join('\n');
}
