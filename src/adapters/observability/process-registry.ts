import { readdir, stat } from 'node:fs/promises';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setImmediate as nextTick } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Interval between samples of event loop lag, each of which wakes the process. Milliseconds. */
const SAMPLE_MS = 1000;

const MS_PER_SECOND = 1000;
const NS_PER_MS = 1e6;
const NS_PER_SECOND = 1e9;

/** prom-client always starts a monitor of its own; with this interval it does nothing. */
const NEVER_MS = 2 ** 31 - 1;

/** Open descriptors of the process (proc_pid_fd(5)). */
const OWN_FILES = '/proc/self/fd';

/**
 * Default metrics of prom-client that are not used: event loop lag, sampled too often; open files,
 * see {@link countOpenFiles}; handles and requests, slow with many connections; heap spaces; the
 * version, in `signing_build_info`; and garbage collections, which it undercounts.
 */
const UNUSED = /^nodejs_(eventloop|active|heap_space|version|gc)|^process_open_fds/;

/** Statistics of event loop lag; of nanoseconds. */
const LAGS: readonly (readonly [name: string, help: string, read: (lags: RecordableHistogram) => number])[] = [
  ['min', 'Minimum', ({ min }) => min],
  ['max', 'Maximum', ({ max }) => max],
  ['mean', 'Mean', ({ mean }) => mean],
  ['stddev', 'Standard deviation', ({ stddev }) => stddev],
  ['p50', '50th percentile', (lags) => lags.percentile(50)],
  ['p90', '90th percentile', (lags) => lags.percentile(90)],
  ['p99', '99th percentile', (lags) => lags.percentile(99)],
];

let registry: Registry | undefined;

/** The only registry of process metrics: prom-client cannot stop its event loop monitor. */
export function processRegistry(): Registry {
  registry ??= makeRegistry();
  return registry;
}

/**
 * Open files and connections of this process; null when unknown. The size of the folder since Linux
 * 6.2, else its entries, read asynchronously: prom-client blocks for 10 ms at 8,000 connections.
 */
export async function countOpenFiles(folder = OWN_FILES): Promise<number | null> {
  try {
    const { size } = await stat(folder);
    return size > 0 ? size : (await readdir(folder)).length;
  } catch {
    return null;
  }
}

function makeRegistry(): Registry {
  const all = new Registry();
  collectDefaultMetrics({ register: all, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of all.getMetricsAsArray()) if (UNUSED.test(name)) all.removeSingleMetric(name);
  const registers = [all];
  new Gauge({
    name: 'process_open_fds',
    help: 'Number of open file descriptors.',
    registers,
    async collect() {
      this.set((await countOpenFiles()) ?? Number.NaN);
    },
  });
  addLag(registers);
  return all;
}

function addLag(registers: Registry[]): void {
  const lags = createHistogram();
  let sampledAt = performance.now();
  setInterval(() => {
    const now = performance.now();
    lags.record(Math.max(Math.round((now - sampledAt - SAMPLE_MS) * NS_PER_MS), 1));
    sampledAt = now;
  }, SAMPLE_MS).unref();
  new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'Event loop lag during the scrape.',
    registers,
    async collect() {
      const startedAt = performance.now();
      // Without a sample since a scrape by another server, its values stay.
      if (lags.count > 0) for (const [gauge, read] of gauges) gauge.set(read(lags) / NS_PER_SECOND);
      lags.reset();
      await nextTick();
      this.set((performance.now() - startedAt) / MS_PER_SECOND);
    },
  });
  const gauges = LAGS.map(([statistic, meaning, read]) => {
    const name = `nodejs_eventloop_lag_${statistic}_seconds`;
    const help = `${meaning} of event loop lag, sampled once a second since the previous scrape.`;
    return [new Gauge({ name, help, registers }), read] as const;
  });
}
