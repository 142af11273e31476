import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { relative, resolve } from 'node:path';
import { type Baseline, BaselineError, baselineOf, compareRatios, comparisonText } from './bench/baseline.ts';
import { BENCH_HELP, type BenchArguments, benchArguments } from './bench/bench-arguments.ts';
import { FULL_PLAN, QUICK_PLAN } from './bench/bench-plan.ts';
import { type BenchResult, resultOf } from './bench/bench-result.ts';
import { measureScenarios } from './bench/bench-scenarios.ts';
import { printResult } from './bench/bench-table.ts';
import { thisCommit, thisMachine } from './bench/machine.ts';
import { writeResult } from './bench/write-result.ts';
import { type Cleanup, runBounded } from './stage/bounded-run.ts';
import { print } from './stage/print.ts';

/* How fast the service is beside what the machine could do; `npm run bench -- --help` says what it takes. */

const LIMIT_MS = 240_000;
const REFUSED = 2;
const FOLDER = resolve(import.meta.dirname, '../docs/performance');

async function bench({ isQuick, out }: BenchArguments, baseline: Baseline | null, cleanup: Cleanup): Promise<boolean> {
  print('The service runs as the image starts it, with its log at the default level on /dev/null. Measuring:');
  const from = performance.now();
  const facts = { date: new Date().toISOString(), commit: thisCommit(), isQuick, machine: thisMachine(tmpdir()) };
  const rounds = await measureScenarios(isQuick ? QUICK_PLAN : FULL_PLAN, cleanup);
  print(`  ${((performance.now() - from) / 1000).toFixed(0)} s`);
  const result = resultOf(facts, rounds);
  printResult(result);
  const folder = out ?? (isQuick ? null : FOLDER);
  if (folder === null) print('\nNothing was written: --out DIR says where a quick run writes what it measured.');
  else {
    writeResult(result, folder);
    print(`\nWritten: latest.json and latest.svg in ${relative('.', folder) || '.'}`);
  }
  return baseline === null || isAsGood(baseline, result);
}

function isAsGood(baseline: Baseline, result: BenchResult): boolean {
  const compared = compareRatios(baseline, result);
  print('\nCompared with the run before');
  for (const one of compared) print(`  ${comparisonText(one)}`);
  return !compared.some(({ isDropped }) => isDropped);
}

/** Read before anything is measured, which would be in vain. */
function baselineIn(file: string): Baseline {
  try {
    return baselineOf(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof BaselineError) return refuse(`${file} is no run to compare with: ${error.message}.`);
    return refuse(`${file} can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

function argumentsGiven(): BenchArguments {
  try {
    return benchArguments(process.argv.slice(2));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(REFUSED);
}

const args = argumentsGiven();
if (args.isHelp) process.stdout.write(BENCH_HELP);
else {
  const baseline = args.check === null ? null : baselineIn(args.check);
  await runBounded(LIMIT_MS, (cleanup) => bench(args, baseline, cleanup));
}
