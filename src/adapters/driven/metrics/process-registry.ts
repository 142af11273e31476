import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { countOpenFiles } from './open-files.ts';

/** Time between two looks at how late the event loop is, milliseconds: each wakes the process. */
const LOOK_MS = 10;

const OPEN_FILES = 'process_open_fds';

/**
 * What is shown of the process, of what prom-client finds out about one, under the names that all programs have them by. Left out: lists of handles and requests, which take long with many connections; heap spaces; the version, which
 * is told elsewhere; and times of garbage collections, of which it counts one where several are told together. Open files are counted otherwise.
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

/** How this process is: one for all who ask, since there is one process, and what it measures itself by can't be stopped. Its event loop is watched from the first call on. */
export function processRegistry(): Registry {
  registry ??= makeRegistry();
  return registry;
}

function makeRegistry(): Registry {
  const all = new Registry();
  collectDefaultMetrics({ register: all, eventLoopMonitoringPrecision: LOOK_MS });
  all.removeSingleMetric(OPEN_FILES);
  for (const { name } of all.getMetricsAsArray()) if (!PROCESS_METRICS.includes(name)) all.removeSingleMetric(name);
  const openFiles: Gauge = new Gauge({
    name: OPEN_FILES,
    help: 'Number of open file descriptors.',
    registers: [all],
    collect: async () => {
      openFiles.set((await countOpenFiles()) ?? Number.NaN);
    },
  });
  return all;
}
