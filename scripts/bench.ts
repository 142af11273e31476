import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { print, printTable } from '../tests/harness/print.ts';
import { appendLoop } from './bench/append-loop.ts';
import { libsecp256k1Loop, libsodiumLoop } from './bench/library-loops.ts';
import { openBaoWork, startOpenBao } from './bench/openbao.ts';
import { measureInTurns, type Plan, type Round, scenario } from './bench/rounds.ts';
import { Installation, startBareServer } from './bench/services.ts';
import { type Cleanup, runBounded } from './run/bounded-run.ts';
import { build } from './run/programs.ts';

/*
 * Signatures a second, CPU time of the service and latency, beside limits that are measured
 * alternately: Node's bare HTTP server, and libsodium and libsecp256k1 in a loop. Nothing else
 * should use the machine meanwhile.
 *
 * npm run bench                three minutes
 * npm run bench -- --quick     about a minute: to compare two branches, run it in turns in both
 * npm run bench -- --beside    beside OpenBao instead; see bench/openbao.ts
 */

const LIMIT_MS = 300_000;
const FULL: Plan = { rounds: 9, warmUpMs: 250, ms: 900 };
const QUICK: Plan = { rounds: 3, warmUpMs: 200, ms: 700 };
/** A new process compiles its code; V8 compiles again for slow callers. */
const FIRST: Plan = { rounds: 1, warmUpMs: 1500, ms: 100 };
const PACES = [100, 1000];
/** An order with a note. */
const PAYLOAD_BYTES = 140;

const ONE_CALLER = 'one caller';
const ONE_CALLER_BARE = 'one caller, bare node:http';
const APPENDS = 'synchronous appends';
/** Limits for {@link ONE_CALLER} where the medians of what it waits for are these, milliseconds. */
const LIMITS = { p50: 0.55, p99: 1.5 };
const BARE_MS = 0.12;
const APPEND_MS = 0.13;

type Results = ReadonlyMap<string, Round>;

async function bench(plan: Plan, cleanup: Cleanup): Promise<boolean> {
  const installation = await Installation.create(cleanup);
  const [service, second, https] = [
    await installation.start(),
    await installation.start(),
    await installation.start({ isHttps: true }),
  ];
  const bare = await startBareServer(service, cleanup);
  const unchecked = { ...installation.singles('alpha'), check: () => undefined };
  const scenarios = {
    'bare node:http': scenario([bare], unchecked),
    'single ed25519': scenario([service], installation.singles('alpha')),
    'single ed25519, a policy': scenario([service], installation.singles('gamma')),
    'single eip191': scenario([service], installation.singles('beta')),
    'single ed25519, HTTPS': scenario([https], installation.singles('alpha')),
    'batches of 100, ed25519': scenario([service], installation.batches('alpha')),
    'libsodium in a loop': async () => libsodiumLoop(plan.ms / 4),
    'batches of 100, eip191': scenario([service], installation.batches('beta')),
    'the same, two processes': scenario([service, second], installation.batches('beta')),
    'libsecp256k1 in a loop': async () => libsecp256k1Loop(plan.ms / 4),
    [ONE_CALLER_BARE]: scenario([bare], { ...unchecked, pace: { callers: 1 } }),
    [ONE_CALLER]: scenario([service], installation.singles('alpha', { callers: 1 })),
    [APPENDS]: async () => appendLoop(installation.path('appended'), plan.ms),
  };
  const paced = Object.fromEntries(
    PACES.map((perSecond) => [
      `single ed25519 at ${perSecond}/s`,
      scenario([service], installation.singles('alpha', { perSecond })),
    ]),
  );
  await measureInTurns(FIRST, { ...scenarios, ...paced });
  const results = new Map([
    ...(await measureInTurns(plan, scenarios)),
    ...(await measureInTurns({ ...plan, rounds: Math.ceil(plan.rounds / 2), ms: 2 * plan.ms }, paced)),
  ]);
  printResults(results);
  printRatios(results, 'cpuPer1000', [
    ['bare node:http', 'single ed25519'],
    ['bare node:http', 'single eip191'],
    ['single ed25519', 'single ed25519, a policy'],
    ['single ed25519', 'single ed25519, HTTPS'],
    ['libsodium in a loop', 'batches of 100, ed25519'],
    ['libsecp256k1 in a loop', 'batches of 100, eip191'],
  ]);
  printRatios(results, 'perSecond', [['the same, two processes', 'batches of 100, eip191']]);
  printLatency(results);
  return true;
}

async function benchBeside(plan: Plan, cleanup: Cleanup): Promise<boolean> {
  const bao = await startOpenBao(cleanup);
  const installation = await Installation.create(cleanup);
  const service = await installation.start({ isHttps: true });
  const scenarios = {
    'signing-service, single': scenario([service], installation.singles('alpha', { callers: 64 }, PAYLOAD_BYTES)),
    [`${bao.name}, single`]: scenario([bao.target], openBaoWork(bao, false, PAYLOAD_BYTES)),
    'signing-service, batches of 100': scenario([service], installation.batches('alpha', PAYLOAD_BYTES)),
    [`${bao.name}, batches of 100`]: scenario([bao.target], openBaoWork(bao, true, PAYLOAD_BYTES)),
  };
  await measureInTurns(FIRST, scenarios);
  const results = await measureInTurns(plan, scenarios);
  print(`ed25519 over ${PAYLOAD_BYTES} bytes, both over HTTPS with an audit file`);
  printResults(results);
  for (const kind of ['single', 'batches of 100']) {
    for (const field of ['cpuPer1000', 'perSecond', 'p99'] as const) {
      printRatios(results, field, [[`signing-service, ${kind}`, `${bao.name}, ${kind}`]]);
    }
  }
  return true;
}

/** Medians of rounds. */
function printResults(results: Results): void {
  const rows = [...results].map(([name, { perSecond, cpuPer1000, p50, p99, memoryBytes }]) => [
    name,
    {
      'per second': Math.round(perSecond),
      'CPU s/1000': Number(cpuPer1000.toFixed(4)),
      'p50 ms': p50 === undefined ? '' : Number(p50.toFixed(2)),
      'p99 ms': p99 === undefined ? '' : Number(p99.toFixed(2)),
      'memory MB': memoryBytes === undefined ? '' : Math.round(memoryBytes / 1e6),
    },
  ]);
  printTable(Object.fromEntries(rows));
}

/** Of medians; by CPU time, which callers on the same processors affect less than rates. */
function printRatios(
  results: Results,
  field: 'cpuPer1000' | 'perSecond' | 'p99',
  pairs: readonly (readonly [above: string, below: string])[],
): void {
  for (const [above, below] of pairs) {
    const [left, right] = [above, below].map((name) => results.get(name)?.[field] ?? Number.NaN);
    print(`${field} of ${above} ÷ ${below}: ${(Number(left) / Number(right)).toFixed(3)}`);
  }
}

/**
 * Of one caller, beside its limits, which are scaled to bare node:http of this run, and to the sum
 * of that and an append: a disk may take longer than a scaled limit.
 */
function printLatency(results: Results): void {
  const p50 = (name: string) => Number(results.get(name)?.p50);
  const bareMs = p50(ONE_CALLER_BARE);
  const scales = [bareMs / BARE_MS, (bareMs + p50(APPENDS)) / (BARE_MS + APPEND_MS)];
  for (const quantile of ['p50', 'p99'] as const) {
    const ms = Number(results.get(ONE_CALLER)?.[quantile]);
    const [byBare, byBoth] = scales.map((scale) => {
      const limitMs = LIMITS[quantile] * scale;
      return `${limitMs.toFixed(2)} ms (${ms <= limitMs ? 'met' : 'missed'})`;
    });
    print(
      `${quantile} of one caller: ${ms.toFixed(2)} ms, ${(ms / bareMs).toFixed(1)} medians of bare node:http; ` +
        `limit ${byBare} by that, ${byBoth} by that and an append`,
    );
  }
}

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { quick: flag, beside: flag } });
process.exitCode = await build();
if (process.exitCode === 0) {
  print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores; Node ${process.version}`);
  print('The service runs as the image starts it; its callers use the same processors.');
  const plan = values.quick ? QUICK : FULL;
  await runBounded(LIMIT_MS, (cleanup) => (values.beside ? benchBeside(plan, cleanup) : bench(plan, cleanup)));
}
