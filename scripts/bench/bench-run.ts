import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpTarget } from '../load/http-connection.ts';
import type { Cleanup } from '../stage/bounded-run.ts';
import type { SealedAccount } from '../stage/sealed-accounts.ts';
import { AskedProcess } from './asked-process.ts';
import type { BenchService } from './bench-service.ts';
import { SCENARIOS, type ScenarioName } from './bench-targets.ts';
import type { Drive, Driven } from './drive.ts';
import type { Round } from './measured-rounds.ts';
import type { RawQuestion, RawRate } from './raw-limits.ts';
import type { RequestKind } from './request-texts.ts';
import { verifySamples } from './verified-samples.ts';

/** A service or what stands in its place, and the processes of it. */
export interface Measured {
  readonly services: readonly (Pick<BenchService, 'target' | 'pid'> & Partial<Pick<BenchService, 'fault'>>)[];
  readonly requests: RequestKind;
  readonly connections: number;
  readonly perSecond?: number;
  /** Whose signatures are verified; null where nobody signs. */
  readonly accounts: readonly SealedAccount[] | null;
}

/** How long, milliseconds. */
export interface Slice {
  readonly warmUpMs: number;
  readonly ms: number;
}

const SAMPLES = 3;
const TOLD_MS = 200;

/** One run: its processes, and the rounds that it has measured. */
export class BenchRun {
  readonly rounds: { [name in ScenarioName]?: Round[] } = {};
  readonly #caller = new AskedProcess<Drive, Driven>('caller.ts');
  readonly #raw = new AskedProcess<RawQuestion, RawRate>('raw-limits.ts');
  readonly #signatures = new Map<number, number>();
  #verified = 0;

  constructor(cleanup: Cleanup) {
    cleanup.add(() => this.#caller.end());
    cleanup.add(() => this.#raw.end());
  }

  /** Signatures that were verified. */
  get verified(): number {
    return this.#verified;
  }

  /** Those that a service gave out by itself while they were counted. */
  signaturesOf({ pid }: Pick<BenchService, 'pid'>): number {
    return this.#signatures.get(pid) ?? 0;
  }

  /** Lets the callers work, and verifies some of what they got. @throws Error when an answer was not as it should be */
  async drive({ services, requests, connections, perSecond, accounts }: Measured, slice: Slice): Promise<Driven> {
    const targets: readonly HttpTarget[] = services.map(({ target }) => target);
    const pids = services.map(({ pid }) => pid);
    const pace = perSecond ?? null;
    const drive = { targets, pids, requests, connections, perSecond: pace, samples: SAMPLES, ...slice };
    const driven = await this.#caller.ask(drive).catch(async (error) => {
      // The end of a service is told a moment after its connections are closed.
      await sleep(TOLD_MS);
      const faults = services.flatMap(({ fault }) => fault?.() ?? []);
      throw faults.length === 0 ? error : new Error(faults.join('\n'));
    });
    if (accounts !== null) this.#verified += verifySamples(driven.samples, accounts);
    const [pid = 0, ...others] = pids;
    if (others.length === 0) {
      this.#signatures.set(pid, this.signaturesOf({ pid }) + driven.answers * (requests.batch ?? 1));
    }
    return driven;
  }

  /** The same as one more round of a scenario. @throws Error also when nothing was answered in it: nothing can be told of such a round */
  async round(name: ScenarioName, measured: Measured, slice: Slice): Promise<void> {
    const driven = await this.drive(measured, slice);
    if (driven.answers === 0) throw new Error(`Nothing was answered within ${slice.ms} ms (${SCENARIOS[name]}).`);
    const signatures = driven.answers * (measured.requests.batch ?? 1);
    this.#add(name, {
      perSecond: (signatures / driven.ms) * 1000,
      ...{ p50: driven.p50, p99: driven.p99, callerCores: driven.callerCores, otherCores: driven.otherCores },
      rssBytes: driven.rssBytes,
      cpuSecondsPer1000: (driven.cpuSeconds / signatures) * 1000,
      serviceCores: (driven.cpuSeconds / driven.ms) * 1000,
    });
  }

  /** A round of what is not asked by callers. */
  async rawRound(name: ScenarioName, question: RawQuestion): Promise<void> {
    const { perSecond } = await this.#raw.ask(question);
    const nobody = { p50: null, p99: null, callerCores: null, otherCores: null };
    this.#add(name, { perSecond, ...nobody, cpuSecondsPer1000: null, serviceCores: null, rssBytes: null });
  }

  #add(name: ScenarioName, round: Round): void {
    const rounds = this.rounds[name] ?? [];
    rounds.push(round);
    this.rounds[name] = rounds;
  }
}

/** Lets scenarios take turns, every other time the other way round, so that neither profits from being the first. */
export async function inTurns(rounds: number, scenarios: readonly (() => Promise<void>)[]): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const scenario of round % 2 === 0 ? scenarios : scenarios.toReversed()) await scenario();
  }
}
