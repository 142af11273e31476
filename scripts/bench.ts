import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBeside } from './bench/beside.ts';
import { measurePolicyDecisions } from './bench/policy-decisions.ts';
import { profileService } from './bench/profile.ts';
import type { Scenarios } from './bench/rounds.ts';
import { type BenchPlan, FULL_PLAN, measureScenarios, PACED, QUICK_PLAN } from './bench/scenarios.ts';
import { StartScriptError } from './bench/start-script.ts';
import { printLegend, printScenarios, printTails } from './bench/tables.ts';
import { type Cleanup, runBounded } from './run/bounded-run.ts';
import { print, printRow } from './run/print.ts';
import { build } from './run/programs.ts';

/*
 * Speed of the service beside its limits, measured alternately: Node's bare HTTP server and the
 * libraries in a loop.
 */

const HELP = `npm run bench [-- [--quick] [--beside SCRIPT]... | --profile]

Signatures a second, CPU seconds of the service process for 1000 signatures, and latency, beside bare node:http,
libsodium and libsecp256k1 in a loop. Three minutes; nothing else should use the machine meanwhile.

  --quick    fewer rounds, under a minute: to compare two branches, run it in turns in both
  --beside   instead: beside other signing services, under five minutes; starts each by a script, whose arguments
             follow in the same text: docs/operators/performance.md
  --profile  instead: CPU profiles by V8 (node --cpu-prof) of the service under single requests and under
             batches, with the busiest areas and functions`;

const LIMIT_MS = 300_000;

/** By CPU time, which callers on the same processors affect less than rates. */
const RATIOS = [
  ['single ed25519 ÷ bare node:http', 'single ed25519', 'bare node:http'],
  ['single eip191 ÷ bare node:http', 'single eip191', 'bare node:http'],
  ['audited ÷ not audited', 'single ed25519', 'single ed25519, not audited'],
  ['HTTPS ÷ HTTP', 'single ed25519, HTTPS', 'single ed25519'],
  ['batches of ed25519 ÷ libsodium', 'batches of 100, ed25519', 'libsodium in a loop'],
  ['batches of eip191 ÷ libsecp256k1', 'batches of 100, eip191', 'libsecp256k1 in a loop'],
] as const;

async function bench(plan: BenchPlan, cleanup: Cleanup): Promise<boolean> {
  printMachine();
  const scenarios = await measureScenarios(plan, cleanup);
  print();
  printScenarios('medians of rounds', scenarios);
  print();
  for (const [name, scenario] of scenarios) if (name.startsWith(PACED)) printTails(name, scenario);
  printLegend();
  printRatios(scenarios);
  print('\nmicroseconds a decision of policies on an order of OKX, in this process');
  for (const [name, microseconds] of await measurePolicyDecisions()) printRow([name, microseconds.toFixed(2)], [50, 8]);
  return true;
}

/** Explains a problem of a start script without a stack. */
async function benchBeside(scripts: readonly string[], plan: BenchPlan, cleanup: Cleanup): Promise<boolean> {
  printMachine();
  try {
    await measureBeside(scripts, plan, cleanup);
    return true;
  } catch (error) {
    if (!(error instanceof StartScriptError)) throw error;
    print(`FAILED: ${error.message}`);
    return false;
  }
}

function printMachine(): void {
  print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores; Node ${process.version}`);
  print('The service runs as the image starts it, its log on /dev/null, its callers on the same processors.\n');
}

function printRatios(scenarios: Scenarios): void {
  for (const [words, own, reference] of RATIOS) {
    const [above, below] = [reference, own].map((name) => scenarios.get(name)?.median.cpuPer1000);
    if (above !== undefined && below !== undefined) printRow([words, (above / below).toFixed(3)], [34, 10]);
  }
  const [one, two] = ['one process', 'two processes'].map((name) => scenarios.get(name)?.median.perSecond);
  if (one !== undefined && two !== undefined) {
    printRow(['two processes ÷ one, by rate', (two / one).toFixed(3)], [34, 10]);
  }
}

/** Null after `--help`, and for wrong options, which exit with 2. */
function readOptions() {
  try {
    const flag = { type: 'boolean' } as const;
    const options = { quick: flag, profile: flag, help: flag, beside: { type: 'string', multiple: true } } as const;
    const { values } = parseArgs({ options });
    if (values.profile && values.beside) throw new Error('--profile and --beside exclude each other');
    if (values.help !== true) return values;
    print(HELP);
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    process.stderr.write(`${reason.replace(/\.$/, '')}.\n${HELP}\n`);
    process.exitCode = 2;
  }
  return null;
}

const values = readOptions();
if (values !== null) process.exitCode = await build();
if (values !== null && process.exitCode === 0) {
  const plan = values.quick ? QUICK_PLAN : FULL_PLAN;
  await runBounded(LIMIT_MS, (cleanup) => {
    if (values.profile) return profileService(cleanup);
    return values.beside ? benchBeside(values.beside, plan, cleanup) : bench(plan, cleanup);
  });
}
