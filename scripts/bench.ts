import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measurePolicyDecisions } from './bench/policy-decisions.ts';
import { profileService } from './bench/profile.ts';
import { FULL_PLAN, measureScenarios, QUICK_PLAN, type Scenarios } from './bench/scenarios.ts';
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
const COLUMNS = [30, 10, 10, 8, 8, 9] as const;

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
  printRow(['medians of rounds', 'per second', 'CPU s/1000', 'p50 ms', 'p99 ms', 'cores'], COLUMNS);
  for (const [name, { perSecond, cpuPer1000, p50, p99, cores }] of scenarios) {
    const cells = [Math.round(perSecond).toLocaleString('en'), cpuPer1000.toFixed(4)];
    printRow([name, ...cells, ...[p50, p99, cores].map((value) => value?.toFixed(2) ?? '')], COLUMNS);
  }
  print(
    '\n  CPU s/1000: seconds of processor that the service process takes for 1000 signatures; cores: that it keeps busy\n',
  );
  printRatios(scenarios);
  print('\nmicroseconds a decision of policies on an order of OKX, in this process');
  for (const [name, microseconds] of await measurePolicyDecisions()) printRow([name, microseconds.toFixed(2)], [50, 8]);
  return true;
}

function printRatios(scenarios: Scenarios): void {
  for (const [words, own, reference] of RATIOS) {
    const [above, below] = [scenarios.get(reference)?.cpuPer1000, scenarios.get(own)?.cpuPer1000];
    if (above !== undefined && below !== undefined) printRow([words, (above / below).toFixed(3)], [34, 10]);
  }
  const [one, two] = [scenarios.get('one process'), scenarios.get('two processes')];
  if (one !== undefined && two !== undefined) {
    printRow(['two processes ÷ one, by rate', (two.perSecond / one.perSecond).toFixed(3)], [34, 10]);
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
