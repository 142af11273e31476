import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { print, printTable } from '../tests/harness/print.ts';
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
/** It waits for the disk as the service does. */
const ONE_CALLER_APPENDING = 'one caller, node:http and a durable append';

type Results = ReadonlyMap<string, Round>;

async function bench(plan: Plan, cleanup: Cleanup): Promise<boolean> {
  const installation = await Installation.create(cleanup);
  const [service, second, https] = [
    await installation.start(),
    await installation.start(),
    await installation.start({ isHttps: true }),
  ];
  const bare = await startBareServer(service, null, cleanup);
  const appending = await startBareServer(service, installation.path('appended'), cleanup);
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
    [ONE_CALLER_APPENDING]: scenario([appending], { ...unchecked, pace: { callers: 1 } }),
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
  for (const field of ['p50', 'p99'] as const) printRatios(results, field, [[ONE_CALLER, ONE_CALLER_APPENDING]]);
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

/** Of medians. Callers on the same processors affect CPU time less than rates. */
function printRatios(
  results: Results,
  field: 'cpuPer1000' | 'perSecond' | 'p50' | 'p99',
  pairs: readonly (readonly [above: string, below: string])[],
): void {
  for (const [above, below] of pairs) {
    const [left, right] = [above, below].map((name) => results.get(name)?.[field] ?? Number.NaN);
    print(`${field} of ${above} ÷ ${below}: ${(Number(left) / Number(right)).toFixed(3)}`);
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
