import type { BenchResult } from './bench-result.ts';
import { RATIO_TARGETS } from './bench-targets.ts';

/** By how much of itself a ratio may drop. */
export const MOST_DROP = 0.2;

/** A run before. */
export interface Baseline {
  /** Quick runs are shorter, and come out lower: they compare with each other. */
  readonly isQuick: boolean;
  /** Medians of its ratios, by name. */
  readonly ratios: ReadonlyMap<string, number>;
}

/** The file of a run before is none. The message says why. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

/** What came of comparing one ratio: null where this run or the one before does not have it. */
export interface Comparison {
  readonly words: string;
  readonly before: number | null;
  readonly now: number | null;
  /** By more than {@link MOST_DROP}. */
  readonly isDropped: boolean;
}

const COMPARED = RATIO_TARGETS.filter(({ atLeast }) => atLeast !== null);

/** Reads what a run wrote as latest.json. Latencies are left alone: they say more about the machine. @throws BaselineError */
export function baselineOf(text: string): Baseline {
  const { isQuick, ratios } = runIn(text);
  const medians = new Map(Object.entries(ratios).map(([name, ratio]) => [name, medianOf(name, ratio)]));
  if (!COMPARED.some(({ name }) => medians.has(name)))
    throw new BaselineError('it has none of the ratios that are compared');
  return { isQuick, ratios: medians };
}

/** Compares every ratio that is to reach something and that either run has, in the order of the targets; then come those that only the run before knows. */
export function compareRatios(baseline: Baseline, { ratios }: Pick<BenchResult, 'ratios'>): readonly Comparison[] {
  const compared = COMPARED.map(({ name, words }) =>
    comparison(words, baseline.ratios.get(name), ratios[name]?.median),
  );
  const unknown = [...baseline.ratios].filter(([name]) => !RATIO_TARGETS.some((one) => one.name === name));
  return [...compared, ...unknown.map(([name, before]) => comparison(name, before, undefined))].filter(
    ({ before, now }) => before !== null || now !== null,
  );
}

/** One line for people. */
export function comparisonText({ words, before, now, isDropped }: Comparison): string {
  if (before === null) return `${words}: not compared, the run before does not have it`;
  if (now === null) return `${words}: not compared, this run does not have it`;
  const change = ((now / before - 1) * 100).toFixed(1);
  const said = `${words}: ${now.toFixed(3)}, before ${before.toFixed(3)} (${change.startsWith('-') ? '' : '+'}${change} %)`;
  return isDropped ? `${said}: DROPPED by more than ${MOST_DROP * 100} %` : said;
}

function comparison(words: string, before: number | undefined, now: number | undefined): Comparison {
  // What could not be measured has dropped.
  const isDropped = before !== undefined && now !== undefined && !(now >= before * (1 - MOST_DROP));
  return { words, before: before ?? null, now: now ?? null, isDropped };
}

function medianOf(name: string, ratio: unknown): number {
  const median = isObject(ratio) ? ratio['median'] : undefined;
  if (typeof median === 'number' && median > 0) return median;
  throw new BaselineError(`ratios.${name}.median is no number above 0`);
}

function runIn(text: string): { readonly isQuick: boolean; readonly ratios: object } {
  const result = parsed(text);
  const ratios = isObject(result) ? result['ratios'] : undefined;
  if (!isObject(result) || !isObject(ratios)) throw new BaselineError('it has no object "ratios", as latest.json has');
  return { isQuick: result['isQuick'] === true, ratios };
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
