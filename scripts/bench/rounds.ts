import { cpuSeconds, residentBytes } from '../../tests/harness/process-use.ts';
import type { HttpTarget, PostRequest } from '../load/http-connection.ts';
import { Load, type Pace, type Reply } from '../load/load.ts';
import { median, quantiles } from '../load/statistics.ts';

/** A server, and its process. */
export interface Target extends HttpTarget {
  readonly pid: number;
}

/** What callers of a scenario do. */
export interface Work<Request extends PostRequest> {
  /** Sent in turn, to each target. */
  readonly requests: readonly Request[];
  readonly signaturesPerRequest: number;
  readonly pace: Pace;
  /** @throws Error for a response that is not right */
  readonly check: (reply: Reply<Request>) => void;
}

/** Results of a round; loops without requests have no latency. */
export interface Round {
  readonly perSecond: number;
  /** CPU seconds of the servers for 1000 signatures. */
  readonly cpuPer1000: number;
  /** Latency of a request, milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
  /** Resident memory of the servers under load. */
  readonly memoryBytes?: number;
}

/**
 * Durations of a benchmark. Many short rounds in turns even out the changes of a shared machine.
 */
export interface Plan {
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly ms: number;
}

/** A round of a scenario, warmed up. */
export type Scenario = (plan: Omit<Plan, 'rounds'>) => Promise<Round>;

/** Replies of a round that are checked; ethers takes a millisecond for each. */
const CHECKED = 20;

/** Callers of targets, whose connections stay open from round to round. */
export function scenario<Request extends PostRequest>(targets: readonly Target[], work: Work<Request>): Scenario {
  const loads = targets.map((target) => new Load(target, work.requests));
  const pids = targets.map(({ pid }) => pid);
  return async ({ warmUpMs, ms }) => {
    const run = (duration: number) => Promise.all(loads.map((load) => load.run(work.pace, duration)));
    await run(warmUpMs);
    const [from, cpuFrom] = [performance.now(), cpuSeconds(...pids)];
    const replies = (await run(ms)).flat();
    const [seconds, cpu] = [(performance.now() - from) / 1000, cpuSeconds(...pids) - cpuFrom];
    const failed = replies.find(({ status }) => status < 200 || status > 299);
    if (failed !== undefined) throw new Error(`A response was ${failed.status} ${failed.body.slice(0, 300)}`);
    const step = Math.ceil(replies.length / CHECKED);
    for (let index = 0; index < replies.length; index += step) work.check(replies[index] as Reply<Request>);
    for (const load of loads) load.replies.length = 0;
    const signatures = replies.length * work.signaturesPerRequest;
    const { p50, p99 } = quantiles(replies.map((reply) => reply.ms));
    const memoryBytes = residentBytes(...pids);
    return { perSecond: signatures / seconds, cpuPer1000: (cpu / signatures) * 1000, p50, p99, memoryBytes };
  };
}

/** Medians of scenarios by name, measured alternately, every other time in reverse. */
export async function measureInTurns(
  plan: Plan,
  scenarios: { readonly [name: string]: Scenario },
): Promise<ReadonlyMap<string, Round>> {
  const rounds = new Map(Object.keys(scenarios).map((name) => [name, [] as Round[]]));
  for (let round = 0; round < plan.rounds; round += 1) {
    const all = Object.entries(scenarios);
    for (const [name, measure] of round % 2 === 0 ? all : all.toReversed()) {
      rounds.get(name)?.push(await measure(plan));
    }
  }
  return new Map([...rounds].map(([name, all]) => [name, toMedian(all)]));
}

function toMedian(rounds: readonly Round[]): Round {
  const fields = ['perSecond', 'cpuPer1000', 'p50', 'p99', 'memoryBytes'] as const;
  const medians = fields.flatMap((field) => {
    const values = rounds.flatMap((round) => round[field] ?? []);
    return values.length === 0 ? [] : [[field, median(values)]];
  });
  return Object.fromEntries(medians);
}
