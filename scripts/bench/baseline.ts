import type { BenchResult } from './bench-result.ts';
import { RATIO_TARGETS } from './bench-targets.ts';

/** By how much of itself a ratio may drop. */
export const MOST_DROP = 0.2;

/** Medians of the ratios of a run before, by name. */
export type Baseline = ReadonlyMap<string, number>;

/** The file of a run before is none. The message says why. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

/** What came of comparing one ratio: null where this run or the one before does not have it. */
export interface Comparison {
  readonly name: string;
  readonly before: number | null;
  readonly now: number | null;
  /** By more than {@link MOST_DROP}. */
  readonly isDropped: boolean;
}

/** Reads the ratios out of what a run wrote as latest.json. Latencies are left alone: they say more about the machine. @throws BaselineError */
export function baselineOf(text: string): Baseline {
  const ratios = Object.entries(ratiosIn(text));
  if (ratios.length === 0) throw new BaselineError('it has no ratios');
  return new Map(
    ratios.map(([name, ratio]) => {
      const median = isObject(ratio) ? ratio['median'] : undefined;
      if (typeof median !== 'number' || !(median > 0))
        throw new BaselineError(`ratios.${name}.median is no number above 0`);
      return [name, median];
    }),
  );
}

/** Compares every ratio that is to reach something and that either run has, in the order of the targets. */
export function compareRatios(baseline: Baseline, { ratios }: Pick<BenchResult, 'ratios'>): readonly Comparison[] {
  const known = RATIO_TARGETS.map(({ name }) => name);
  const unknown = [...baseline.keys()].filter((name) => !known.some((one) => one === name));
  const wanted = RATIO_TARGETS.filter(({ atLeast }) => atLeast !== null).map(({ name }) => name);
  const compared = wanted.map((name) => comparison(name, baseline.get(name) ?? null, ratios[name]?.median ?? null));
  return [...compared, ...unknown.map((name) => comparison(name, baseline.get(name) ?? null, null))].filter(
    ({ before, now }) => before !== null || now !== null,
  );
}

/** One line for people. */
export function comparisonText({ name, before, now, isDropped }: Comparison): string {
  if (before === null) return `${name}: not compared, the run before does not have it`;
  if (now === null) return `${name}: not compared, this run does not have it`;
  const change = Math.round((now / before - 1) * 100);
  const said = `${name}: ${now.toFixed(3)}, before ${before.toFixed(3)} (${change > 0 ? '+' : ''}${change} %)`;
  return isDropped ? `${said}: DROPPED by more than ${MOST_DROP * 100} %` : said;
}

function comparison(name: string, before: number | null, now: number | null): Comparison {
  // What could not be measured has dropped.
  const isDropped = before !== null && now !== null && !(now >= before * (1 - MOST_DROP));
  return { name, before, now, isDropped };
}

function ratiosIn(text: string): object {
  const result = parsed(text);
  const ratios = isObject(result) ? result['ratios'] : undefined;
  if (!isObject(ratios)) throw new BaselineError('it has no object "ratios", as latest.json has');
  return ratios;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BaselineError('it is not JSON');
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
