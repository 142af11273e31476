import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import canonicalize from 'canonicalize';
import { LoadProcess, toData } from '../load/load-process.ts';
import { quantiles } from '../proof/statistics.ts';
import type { Cleanup } from '../run/bounded-run.ts';
import { print } from '../run/print.ts';
import { type BenchService, makeInstallation, startBenchService } from '../service/bench-service.ts';
import { residentBytes } from '../service/process-use.ts';
import { makeAccounts, type SealedAccount } from '../service/sealed-accounts.ts';
import type { BareResponse } from './bare-server.ts';
import { watchMachine } from './disturbance.ts';
import { BENCH_ACCOUNTS, drive, type Target, toRequest, type Work } from './drive.ts';
import { libsecp256k1Loop, libsodiumLoop } from './library-loops.ts';
import { inTurns, type Round, Rounds, type Scenarios } from './rounds.ts';
import type { Slice } from './run-load.ts';

/** Durations. Many short rounds in turns even out the changing speed of a shared machine. */
export interface BenchPlan {
  readonly rounds: number;
  readonly slice: Slice;
  readonly loopMs: number;
  /** Warm-up of a new process, which compiles its code. */
  readonly firstWarmUpMs: number;
  /** At 100 and 1000 requests a second. */
  readonly paced: { readonly rounds: number; readonly ms: number; readonly warmUpMs: number };
  /** Of one process beside two; 0: none. */
  readonly processRounds: number;
}

/** Three minutes. */
export const FULL_PLAN: BenchPlan = {
  rounds: 9,
  slice: { warmUpMs: 250, ms: 900 },
  loopMs: 250,
  firstWarmUpMs: 1500,
  paced: { rounds: 5, ms: 3000, warmUpMs: 4000 },
  processRounds: 7,
};

/** Under a minute. */
export const QUICK_PLAN: BenchPlan = {
  rounds: 3,
  slice: { warmUpMs: 200, ms: 700 },
  loopMs: 150,
  firstWarmUpMs: 800,
  paced: { rounds: 1, ms: 1500, warmUpMs: 500 },
  processRounds: 0,
};

export const SINGLES: Work = { algorithm: 'ed25519', batch: null, connections: 64 };
/** Enough connections to keep the service busy, few enough to send batches in sequence. */
export const BATCHES: Work = { algorithm: 'ed25519', batch: 100, connections: 4 };
/** Requests a second. */
const PACES = [100, 1000];
/** Start of the names of scenarios at a pace. */
export const PACED = 'single ed25519 at';
const EIP191 = { algorithm: 'eip191' } as const;

/** Measures all scenarios and prints progress. */
export async function measureScenarios(plan: BenchPlan, cleanup: Cleanup): Promise<Scenarios> {
  const rounds = new Rounds();
  const add = (name: string, round: Round) => rounds.add(name, round);
  const { place, accounts } = await makeInstallation(cleanup, (file) => makeAccounts(file, BENCH_ACCOUNTS));
  const [service, https, unaudited] = await Promise.all([
    startBenchService({ place }, cleanup),
    startBenchService({ place }, cleanup, { isHttps: true }),
    startBenchService({ place }, cleanup, { isAudited: false }),
  ]);
  const bare = await startBare(service, cleanup);
  const round = async (
    name: string,
    targets: readonly Target[],
    work: Work,
    signers: typeof accounts | null = accounts,
  ) => add(name, await drive(targets, work, plan.slice, signers));

  print('  single requests and batches, beside their limits');
  const first = { warmUpMs: plan.firstWarmUpMs, ms: 100 };
  await drive([bare], SINGLES, first, null);
  for (const target of [service, https, unaudited]) await drive([target], SINGLES, first, accounts);
  for (const work of [BATCHES, { ...BATCHES, ...EIP191 }]) await drive([service], work, first, accounts);
  const payloadBytes = Buffer.byteLength(canonicalize(toData({ account: 0, call: 1000 })) ?? '');
  await inTurns(plan.rounds, [
    () => round('bare node:http', [bare], SINGLES, null),
    () => round('single ed25519', [service], SINGLES),
    () => round('single ed25519, not audited', [unaudited], SINGLES),
    () => round('single eip191', [service], { ...SINGLES, ...EIP191 }),
    () => round('single ed25519, HTTPS', [https], SINGLES),
    () => round('batches of 100, ed25519', [service], BATCHES),
    async () => add('libsodium in a loop', libsodiumLoop(payloadBytes, plan.loopMs)),
    () => round('batches of 100, eip191', [service], { ...BATCHES, ...EIP191 }),
    async () => add('libsecp256k1 in a loop', libsecp256k1Loop(plan.loopMs)),
  ]);
  await Promise.all([https.end(), unaudited.end()]);

  print('  at a pace');
  await measurePaces(plan, service, accounts, cleanup, add);

  if (plan.processRounds > 0) {
    print('  two processes beside one');
    const second = await startBenchService({ place }, cleanup);
    // Callers of eip191 batches need almost no CPU time.
    const work = { ...BATCHES, ...EIP191 };
    await drive([second], work, first, accounts);
    await inTurns(plan.processRounds, [
      () => round('one process', [service], work),
      () => round('two processes', [service, second], work),
    ]);
  }
  return rounds.scenarios();
}

async function measurePaces(
  { paced }: BenchPlan,
  service: BenchService,
  accounts: readonly SealedAccount[],
  cleanup: Cleanup,
  add: (name: string, round: Round) => void,
): Promise<void> {
  const load = new LoadProcess();
  cleanup.add(() => load.end());
  const at = (perSecond: number, ms: number) =>
    load.measure({
      target: { port: Number(new URL(service.url).port), ca: null },
      accounts: accounts.flatMap(({ algorithm }, number) => (algorithm === 'ed25519' ? [number] : [])),
      ...{ pace: { perSecond }, batches: null, retries: 0, reportsReplies: false, ms },
    });
  // V8 compiles again for slow callers: single requests instead of dozens in a turn.
  for (const perSecond of PACES) await at(perSecond, paced.warmUpMs);
  await inTurns(
    paced.rounds,
    PACES.map((perSecond) => async () => {
      const isDisturbed = watchMachine([process.pid, load.pid, service.pid]);
      const cpuFrom = service.cpuSeconds();
      const latencies = await at(perSecond, paced.ms);
      const cpu = service.cpuSeconds() - cpuFrom;
      const state = { memoryBytes: residentBytes(service.pid), isDisturbed: isDisturbed() };
      const { p50, p99 } = quantiles(latencies);
      const rates = { perSecond: (latencies.length / paced.ms) * 1000, cpuPer1000: (cpu / latencies.length) * 1000 };
      add(`${PACED} ${perSecond}/s`, { ...rates, p50, p99, cores: (cpu / paced.ms) * 1000, ...state });
    }),
  );
}

/** A bare server that sends a recorded response of the service. */
async function startBare(service: BenchService, cleanup: Cleanup): Promise<Target> {
  const { path, body } = toRequest([{ account: 0, call: 0 }], false);
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  if (response.status !== 200) throw new Error(`The service responded with ${response.status}.`);
  const sent: BareResponse = { headers: [...response.headers], body: await response.text() };
  const child = fork(resolve(import.meta.dirname, 'bare-server.ts'), { execArgv: ['--import', 'tsx'] });
  cleanup.add(() => void child.kill());
  child.send(sent);
  const [port] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, pid: Number(child.pid) };
}
