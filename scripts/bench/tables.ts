import { formatMegabytes, print, printRow } from '../run/print.ts';
import type { Scenario, Scenarios } from './rounds.ts';

const TITLES = ['per second', 'CPU s/1000', 'p50 ms', 'p99 ms', 'cores', 'memory', 'disturbed'];
const WIDTHS = [10, 10, 8, 8, 6, 8, 9];
const MIN_NAME = 30;

/** Prints medians of scenarios, and how many of their rounds other programs disturbed. */
export function printScenarios(title: string, scenarios: Scenarios): void {
  const columns = [Math.max(MIN_NAME, ...[...scenarios.keys()].map((name) => name.length)), ...WIDTHS];
  printRow([title, ...TITLES], columns);
  for (const [name, scenario] of scenarios) printRow([name, ...toCells(scenario)], columns);
}

/** Explains the columns. */
export function printLegend(): void {
  print(`
  CPU s/1000: seconds of processor that the service takes for 1000 signatures; cores: that it keeps busy;
  memory: resident under load; disturbed: rounds in which other programs took more than a tenth of it
`);
}

/** Prints the 99th percentile of each round, for limits that every round keeps. */
export function printTails(name: string, { rounds }: Scenario): void {
  const tails = rounds.map(({ p99 }) => p99 ?? Number.NaN);
  const each = tails.map((ms) => ms.toFixed(2)).join(', ');
  print(`  ${name}, p99 of each round: ${each} ms; worst ${Math.max(...tails).toFixed(2)} ms`);
}

function toCells({ median, rounds }: Scenario): readonly string[] {
  const { perSecond, cpuPer1000, p50, p99, cores, memoryBytes } = median;
  const disturbed = rounds.filter(({ isDisturbed }) => isDisturbed).length;
  return [
    ...[Math.round(perSecond).toLocaleString('en'), cpuPer1000.toFixed(4)],
    ...[p50, p99, cores].map((value) => value?.toFixed(2) ?? ''),
    ...[memoryBytes === null ? '' : formatMegabytes(memoryBytes), `${disturbed} of ${rounds.length}`],
  ];
}
