import {
  LATENCY_TARGETS,
  type LatencyName,
  RATIO_TARGETS,
  type RatioName,
  SCENARIOS,
  type ScenarioName,
} from './bench-targets.ts';
import type { Machine } from './machine.ts';
import { medianRound, type Round, ratioOfRounds, type Spread, spreadOf } from './measured-rounds.ts';

/** A ratio that was measured. */
export interface RatioResult extends Spread {
  /** Null where there is none, as {@link RATIO_TARGETS} has it. */
  readonly target: number | null;
  readonly holds: boolean | null;
}

/** The 99th percentiles of the rounds at a pace, milliseconds. */
export interface LatencyResult {
  /** Their median. */
  readonly ms: number;
  readonly least: number;
  readonly most: number;
  readonly below: number;
  readonly holds: boolean;
}

/** A scenario: the medians of its rounds, and these in the order of time. */
export interface ScenarioResult {
  readonly words: string;
  readonly medians: Round;
  readonly rounds: readonly Round[];
}

/** What stands in docs/performance/latest.json. Scenarios that a run left out are missing, and so are their ratios. */
export interface BenchResult {
  readonly version: 1;
  /** ISO 8601. */
  readonly date: string;
  /** Of git, with `-dirty` where files differ from it; null where there is no git. */
  readonly commit: string | null;
  readonly isQuick: boolean;
  readonly machine: Machine;
  readonly ratios: { readonly [name in RatioName]?: RatioResult };
  readonly latencies: { readonly [name in LatencyName]?: LatencyResult };
  readonly scenarios: { readonly [name in ScenarioName]?: ScenarioResult };
}

/** Of a processor: from here on the machine was not for the bench alone. The kernel's own threads that write to the disk take less. */
const BUSY_OTHERS = 0.2;

/** What is to be said of a run that {@link isDisturbed}. */
export const DISTURBED = 'OTHER PROGRAMS WERE BUSY on this machine meanwhile: these numbers say little.';

/** Whether other programs had much of a processor in the middle one of a scenario's rounds. */
export function isDisturbed({ scenarios }: Pick<BenchResult, 'scenarios'>): boolean {
  return Object.values(scenarios).some(({ medians }) => (medians.otherCores ?? 0) >= BUSY_OTHERS);
}

/** The rounds of each scenario that was measured. */
export type MeasuredRounds = { readonly [name in ScenarioName]?: readonly Round[] };

/** Works out medians, ratios and what holds. */
export function resultOf(
  facts: Pick<BenchResult, 'date' | 'commit' | 'isQuick' | 'machine'>,
  rounds: MeasuredRounds,
): BenchResult {
  return {
    version: 1,
    ...facts,
    ratios: ratiosOf(rounds),
    latencies: latenciesOf(rounds),
    scenarios: scenariosOf(rounds),
  };
}

function ratiosOf(rounds: MeasuredRounds): BenchResult['ratios'] {
  const ratios = RATIO_TARGETS.flatMap(({ name, upper, lower, atLeast }) => {
    const [above, below] = [rounds[upper], rounds[lower]];
    if (above === undefined || below === undefined) return [];
    const spread = ratioOfRounds(above, below);
    return [[name, { ...spread, target: atLeast, holds: atLeast === null ? null : spread.median >= atLeast }] as const];
  });
  return Object.fromEntries(ratios);
}

function latenciesOf(rounds: MeasuredRounds): BenchResult['latencies'] {
  const latencies = LATENCY_TARGETS.flatMap(({ name, scenario, belowMs }) => {
    const measured = rounds[scenario];
    if (measured === undefined) return [];
    const { median: ms, least, most } = spreadOf(measured.map(({ p99 }) => p99 ?? Number.NaN));
    return [[name, { ms, least, most, below: belowMs, holds: ms < belowMs }] as const];
  });
  return Object.fromEntries(latencies);
}

function scenariosOf(rounds: MeasuredRounds): BenchResult['scenarios'] {
  const names = (Object.keys(SCENARIOS) as ScenarioName[]).flatMap((name) => {
    const measured = rounds[name];
    if (measured === undefined) return [];
    return [[name, { words: SCENARIOS[name], medians: medianRound(measured), rounds: measured }] as const];
  });
  return Object.fromEntries(names);
}
