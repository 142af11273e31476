import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measurePolicyDecisions } from './bench/policy-decisions.ts';
import { profileService } from './bench/profile.ts';
import type { Scenarios } from './bench/rounds.ts';
import { FULL_PLAN, measureScenarios, PACED, QUICK_PLAN } from './bench/scenarios.ts';
import { printLegend, printScenarios, printTails } from './bench/tables.ts';
import { type Cleanup, runBounded } from './run/bounded-run.ts';
import { print, printRow } from './run/print.ts';
import { build } from './run/programs.ts';

/*
 * Speed of the service beside its limits, measured alternately: Node's bare HTTP server and the
 * libraries in a loop.
 */

const HELP = `npm run bench [-- --quick | --profile]

Signatures a second, CPU seconds of the service process for 1000 signatures, and latency, beside bare node:http,
libsodium and libsecp256k1 in a loop. Under two minutes; nothing else should use the machine meanwhile.

  --quick    fewer rounds, in half a minute: to compare two branches, run it in turns in both
  --profile  instead: a CPU profile by V8 (node --cpu-prof) of the service under load, and its busiest functions`;

const LIMIT_MS = 300_000;

/** By CPU time, which callers on the same processors affect less than rates. */
const RATIOS = [
  ['single ed25519 ÷ bare node:http', 'single ed25519', 'bare node:http'],
  ['single eip191 ÷ bare node:http', 'single eip191', 'bare node:http'],
  ['HTTPS ÷ HTTP', 'single ed25519, HTTPS', 'single ed25519'],
  ['batches of ed25519 ÷ libsodium', 'batches of 100, ed25519', 'libsodium in a loop'],
  ['batches of eip191 ÷ libsecp256k1', 'batches of 100, eip191', 'libsecp256k1 in a loop'],
] as const;

async function bench(isQuick: boolean, cleanup: Cleanup): Promise<boolean> {
  print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores; Node ${process.version}`);
  print('The service runs as the image starts it, its log on /dev/null, its callers on the same processors.\n');
  const scenarios = await measureScenarios(isQuick ? QUICK_PLAN : FULL_PLAN, cleanup);
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
    const options = { quick: { type: 'boolean' }, profile: { type: 'boolean' }, help: { type: 'boolean' } } as const;
    const { values } = parseArgs({ options });
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
  await runBounded(LIMIT_MS, (cleanup) =>
    values.profile ? profileService(cleanup) : bench(values.quick === true, cleanup),
  );
}
