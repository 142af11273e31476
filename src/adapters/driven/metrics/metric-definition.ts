import type { ServiceState } from '../../../domain/model/service-state.ts';

/** Values of labels by their names. */
export interface Labels {
  readonly [name: string]: string;
}

/** One value of a metric. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** What operators see of a metric, wherever its values come from. */
export interface MetricDefinition {
  /** By the conventions of Prometheus: base units, `_total` for counters. */
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** What it is, and what to look for in it. One line, without quotes and backslashes. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

/** A metric of a value that the service keeps anyway: it is read at scrape time. */
export interface ReadMetric extends MetricDefinition {
  readonly type: 'gauge' | 'counter';
  readonly read: (state: ServiceState) => Iterable<Sample>;
}

/** A metric of events, updated as they happen. */
export interface CountedMetric extends MetricDefinition {
  readonly type: 'counter' | 'histogram';
}

/**
 * What a definition reads: null for no value, true for 1, a number, or a sample for each
 * combination of labels.
 */
type Reading = number | boolean | null | Iterable<Sample>;

/** A metric that goes up and down. */
export function gauge(
  name: string,
  help: string,
  read: (state: ServiceState) => Reading,
  labels: readonly string[] = [],
): ReadMetric {
  return { name, type: 'gauge', help, labels, read: (state) => samplesOf(read(state)) };
}

/** A metric that only goes up, until the process ends. */
export function counter(
  name: string,
  help: string,
  read: (state: ServiceState) => Reading,
  labels: readonly string[] = [],
): ReadMetric {
  return { name, type: 'counter', help, labels, read: (state) => samplesOf(read(state)) };
}

/** Milliseconds in seconds, the unit of time of Prometheus; null stays null. */
export function inSeconds(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : milliseconds / 1000;
}

function samplesOf(reading: Reading): Iterable<Sample> {
  if (reading === null) return [];
  if (typeof reading === 'number' || typeof reading === 'boolean') return [{ labels: {}, value: Number(reading) }];
  return reading;
}
