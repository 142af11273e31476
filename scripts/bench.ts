import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { relative, resolve } from 'node:path';
import {
  type Baseline,
  BaselineError,
  baselineOf,
  compareRatios,
  comparisonText,
  MOST_DROP,
} from './bench/baseline.ts';
import { BENCH_HELP, type BenchArguments, benchArguments } from './bench/bench-arguments.ts';
import { FULL_PLAN, QUICK_PLAN } from './bench/bench-plan.ts';
import { type BenchResult, isDisturbed, resultOf } from './bench/bench-result.ts';
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

async function bench(
  isQuick: boolean,
  folder: string | null,
  baseline: Baseline | null,
  cleanup: Cleanup,
): Promise<boolean> {
  print('The service runs as the image starts it, with its log at the default level on /dev/null. Measuring:');
  const from = performance.now();
  const facts = { date: new Date().toISOString(), commit: thisCommit(), isQuick, machine: thisMachine(tmpdir()) };
  const rounds = await measureScenarios(isQuick ? QUICK_PLAN : FULL_PLAN, cleanup);
  print(`  ${((performance.now() - from) / 1000).toFixed(0)} s`);
  const result = resultOf(facts, rounds);
  printResult(result);
  if (folder === null) print('\nNothing was written: --out DIR says where a quick run writes what it measured.');
  else {
    writeResult(result, folder);
    print(`\nWritten: latest.json and latest.svg in ${relative('.', folder) || '.'}`);
  }
  return baseline === null || isAsGood(baseline, result);
}

function isAsGood(baseline: Baseline, result: BenchResult): boolean {
  if (isDisturbed(result)) {
    print('\nNot compared with the run before: other programs were busy meanwhile. Run it again.');
    return false;
  }
  const compared = compareRatios(baseline, result);
  print('\nCompared with the run before');
  for (const one of compared) print(`  ${comparisonText(one)}`);
  const dropped = compared.filter(({ isDropped }) => isDropped).length;
  print(`  ${dropped} of ${compared.length} ratios dropped by more than ${MOST_DROP * 100} %.`);
  return dropped === 0;
}

/** Read before anything is measured, which would be in vain. */
function baselineIn(file: string, isQuick: boolean): Baseline {
  const [before, now] = isQuick ? ['a full run', 'a quick one'] : ['a quick run', 'a full one'];
  try {
    const baseline = baselineOf(readFileSync(file, 'utf8'));
    if (baseline.isQuick === isQuick) return baseline;
    throw new BaselineError(`it was ${before}, and this is ${now}`);
  } catch (error) {
    if (error instanceof BaselineError) return refuse(`${file} is no run to compare with: ${error.message}.`);
    return refuse(`${file} can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Null where nothing is to be written. Made, and tried, before anything is measured. */
function folderFor({ isQuick, out }: BenchArguments): string | null {
  const folder = out ?? (isQuick ? null : FOLDER);
  if (folder === null) return null;
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (error) {
    return refuse(
      `${folder} can't be written to: ${error instanceof Error ? error.message : error}. --out DIR names another.`,
    );
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
  const baseline = args.check === null ? null : baselineIn(args.check, args.isQuick);
  const folder = folderFor(args);
  await runBounded(LIMIT_MS, (cleanup) => bench(args.isQuick, folder, baseline, cleanup));
}
