import { megabytes, print, printRow } from '../stage/print.ts';
import { type BenchResult, DISTURBED, isDisturbed, type ScenarioResult } from './bench-result.ts';
import { LATENCY_TARGETS, RATIO_TARGETS } from './bench-targets.ts';

const COLUMNS = [33, 10, 7, 7, 10, 7, 7, 7, 6] as const;
const RATIO_COLUMNS = [39, 7, 15, 8, 8] as const;
const HEADINGS = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU s/1000', 'RSS', 'service', 'callers', 'others'];
/** From here on it was perhaps they that were measured. */
const BUSY_CALLERS = 0.9;

/** Prints what was measured, for people. */
export function printResult(result: BenchResult): void {
  printMachine(result);
  print();
  printRow(HEADINGS, COLUMNS);
  for (const scenario of Object.values(result.scenarios)) printScenario(scenario);
  if (isDisturbed(result)) print(`\n  ${DISTURBED}`);
  print(
    '\n  CPU s/1000: seconds of processor that the service takes for 1000 signatures. service, callers, others: processors',
  );
  print(
    '  that they kept busy. Rates of batches, libraries and disk are signatures or records, those of the others requests.\n',
  );
  printRatios(result);
}

function printMachine({ machine, date, commit, isQuick }: BenchResult): void {
  const { processor, cores, memoryBytes, node, kernel, fileSystem } = machine;
  print(`\n${isQuick ? 'Quick run' : 'Full run'} of ${date}, commit ${commit ?? 'unknown'}`);
  print(
    `${processor}, ${cores} cores, ${megabytes(memoryBytes)}; Node ${node}, Linux ${kernel}; audit files on ${fileSystem}`,
  );
}

function printScenario({ words, medians }: ScenarioResult): void {
  const { perSecond, p50, p99, cpuSecondsPer1000, rssBytes, serviceCores, callerCores, otherCores } = medians;
  const cells = [
    Math.round(perSecond).toLocaleString('en'),
    shown(p50, 2),
    shown(p99, 2),
    shown(cpuSecondsPer1000, 3),
    rssBytes === null ? '' : megabytes(rssBytes),
    shown(serviceCores, 2),
    shown(callerCores, 2),
    shown(otherCores, 2),
  ];
  printRow([words, ...cells], COLUMNS);
  if ((callerCores ?? 0) >= BUSY_CALLERS)
    print('    the callers were busy all the time: the service may be faster than this');
}

function printRatios({ ratios, latencies }: BenchResult): void {
  printRow(['Ratios and latencies, medians of rounds', '', 'least to most', 'target', ''], RATIO_COLUMNS);
  for (const { name, words } of RATIO_TARGETS) {
    const ratio = ratios[name];
    if (ratio === undefined) continue;
    const range = `${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}`;
    const target = ratio.target === null ? [] : [`≥ ${ratio.target}`, ratio.holds ? 'holds' : 'misses'];
    const cells = [ratio.median.toFixed(3), range, ...target];
    printRow([words, ...cells], RATIO_COLUMNS);
  }
  for (const { name, words } of LATENCY_TARGETS) {
    const latency = latencies[name];
    if (latency === undefined) continue;
    const { ms, least, most, below, holds } = latency;
    const range = `${least.toFixed(1)} to ${most.toFixed(1)}`;
    printRow([`${words}, ms`, ms.toFixed(2), range, `< ${below} ms`, holds ? 'holds' : 'misses'], RATIO_COLUMNS);
  }
}

function shown(value: number | null, digits: number): string {
  return value === null ? '' : value.toFixed(digits);
}
