import { tmpdir } from 'node:os';
import { BENCH_HELP, type BenchArguments, benchArguments } from './bench/bench-arguments.ts';
import { FULL_PLAN, QUICK_PLAN } from './bench/bench-plan.ts';
import { resultOf } from './bench/bench-result.ts';
import { measureScenarios } from './bench/bench-scenarios.ts';
import { printResult } from './bench/bench-table.ts';
import { thisCommit, thisMachine } from './bench/machine.ts';
import { type Cleanup, runBounded } from './stage/bounded-run.ts';
import { print } from './stage/print.ts';

/* How fast the service is beside what the machine could do; `npm run bench -- --help` says what it takes. */

const LIMIT_MS = 240_000;
const WRONG_ARGUMENTS = 2;

async function bench({ isQuick }: BenchArguments, cleanup: Cleanup): Promise<boolean> {
  print('The service runs as the image starts it, with its log at the default level on /dev/null. Measuring:');
  const from = performance.now();
  const facts = { date: new Date().toISOString(), commit: thisCommit(), isQuick, machine: thisMachine(tmpdir()) };
  const rounds = await measureScenarios(isQuick ? QUICK_PLAN : FULL_PLAN, cleanup);
  print(`  ${((performance.now() - from) / 1000).toFixed(0)} s`);
  printResult(resultOf(facts, rounds));
  return true;
}

function argumentsOrExit(): BenchArguments {
  try {
    return benchArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(WRONG_ARGUMENTS);
  }
}

const args = argumentsOrExit();
if (args.isHelp) print(BENCH_HELP);
else await runBounded(LIMIT_MS, (cleanup) => bench(args, cleanup));
