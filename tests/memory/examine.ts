import { setTimeout } from 'node:timers/promises';
import type { ServiceProcess } from '../e2e/service-process.ts';
import { type MemorySearch, searchMemory } from '../process-memory/search.ts';
import type { Secret } from '../process-memory/secrets.ts';
import { whileStopped } from '../process-memory/stop.ts';

/** Time in which the service finishes what it does after the last answer. */
const SETTLE_MS = 1000;

/**
 * Waits until a service is idle, then searches all of its memory while every thread of it stands still. The real service and the controls go through
 * here alike.
 */
export async function examine({ process }: ServiceProcess, secrets: readonly Secret[]): Promise<MemorySearch> {
  await setTimeout(SETTLE_MS);
  return whileStopped(process.pid, () => searchMemory(process.pid, secrets));
}
