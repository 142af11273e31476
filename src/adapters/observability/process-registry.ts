import { readdir, stat } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Sampling interval of event loop lag, milliseconds: each sample wakes the process. */
const LAG_RESOLUTION_MS = 10;

const OPEN_FILES = 'process_open_fds';

/** Open descriptors of the process (proc_pid_fd(5)). */
const OWN_FILES = '/proc/self/fd';

/**
 * The prom-client default metrics in use. Left out: handles and requests, slow with many
 * connections; heap spaces; the version, in `signing_build_info`; and garbage collections, which it
 * undercounts.
 */
export const PROCESS_METRICS: readonly string[] = [
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_virtual_memory_bytes',
  'process_heap_bytes',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  OPEN_FILES,
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
  collectDefaultMetrics({ register: all, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
  all.removeSingleMetric(OPEN_FILES);
  for (const { name } of all.getMetricsAsArray()) if (!PROCESS_METRICS.includes(name)) all.removeSingleMetric(name);
  new Gauge({
    name: OPEN_FILES,
    help: 'Number of open file descriptors.',
    registers: [all],
    async collect() {
      this.set((await countOpenFiles()) ?? Number.NaN);
    },
  });
  return all;
}
