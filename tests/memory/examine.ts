import { setTimeout } from 'node:timers/promises';
import type { ServiceProcess } from '../harness/service-process.ts';
import { type MemorySearch, searchMemory } from '../process-memory/search.ts';
import type { Secret } from '../process-memory/secrets.ts';
import { whileStopped } from '../process-memory/stop.ts';

/** Time for work after the last response. */
const SETTLE_MS = 1000;

/** Searches an idle, stopped service's memory; for the real service and the controls alike. */
export async function examine({ process }: ServiceProcess, secrets: readonly Secret[]): Promise<MemorySearch> {
  await setTimeout(SETTLE_MS);
  return whileStopped(process.pid, () => searchMemory(process.pid, secrets));
}
