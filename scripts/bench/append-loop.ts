import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { quantiles } from '../load/statistics.ts';
import type { Round } from './rounds.ts';

/** An audit record of a single signature. */
const RECORD = `${'r'.repeat(1000)}\n`;

const { O_APPEND, O_CREAT, O_DSYNC, O_WRONLY } = constants;

/**
 * The least that a durable record takes: appends to a file with O_DSYNC, one after another, without
 * event loop and worker threads.
 * @param file created if missing, on the file system of the audit files
 */
export function appendLoop(file: string, ms: number): Round {
  const descriptor = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_DSYNC, 0o600);
  const latencies: number[] = [];
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  for (let from = begin; from - begin < ms; ) {
    writeSync(descriptor, RECORD);
    const now = performance.now();
    latencies.push(now - from);
    from = now;
  }
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - begin) / 1000;
  closeSync(descriptor);
  const { p50, p99 } = quantiles(latencies);
  return { perSecond: latencies.length / seconds, cpuPer1000: (user + system) / 1000 / latencies.length, p50, p99 };
}
