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

/** What operators are told of a metric, wherever its values come from. */
export interface MetricDefinition {
  /** By the conventions of Prometheus: base units, `_total` for what only rises. */
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** What it is, and what to look for in it. One line, without quotes and backslashes. */
  readonly help: string;
  readonly labels: readonly string[];
}

/** A metric whose values the service knows anyway: they are read for each page. */
export interface ReadMetric extends MetricDefinition {
  readonly type: 'gauge' | 'counter';
  readonly read: (state: ServiceState) => Iterable<Sample>;
}

/** A metric that counts how often something happened, or is the distribution of how long it took. */
export interface CountedMetric extends MetricDefinition {
  readonly type: 'counter' | 'histogram';
  /** Upper bounds of a histogram, rising. */
  readonly buckets?: readonly number[];
}

/** What a metric reads, as its definition says it: null for nothing, true for 1, one number, or one for each combination of labels. */
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

/** Seconds, as Prometheus counts time, of milliseconds; null of null. */
export function inSeconds(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : milliseconds / 1000;
}

function samplesOf(reading: Reading): Iterable<Sample> {
  if (reading === null) return [];
  if (typeof reading === 'number' || typeof reading === 'boolean') return [{ labels: {}, value: Number(reading) }];
  return reading;
}
