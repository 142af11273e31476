import { readFileSync } from 'node:fs';
import { cpuSeconds, TICKS } from '../service/process-use.ts';

const FILE = '/proc/stat';

/** Share of the machine's processor time that other programs may take. */
const TOLERATED = 0.1;

/**
 * Watches from now on whether other programs use the machine.
 * @param pids all processes of a round: callers and services
 * @returns whether others have used more than a tenth of its processor time since the call; the
 *   host of a virtual machine counts, by stolen time
 */
export function watchMachine(pids: readonly number[]): () => boolean {
  const [from, own] = [readFileSync(FILE, 'utf8'), cpuSeconds(...pids)];
  return () => isDisturbed(from, readFileSync(FILE, 'utf8'), cpuSeconds(...pids) - own);
}

/**
 * Whether others have used more than a tenth of the processor time between two texts of /proc/stat.
 * @param ownSeconds of processor that the processes of the round have used
 */
export function isDisturbed(from: string, to: string, ownSeconds: number): boolean {
  const [before, after] = [parse(from), parse(to)];
  const others = after.busy - before.busy - ownSeconds;
  return others > TOLERATED * (after.total - before.total);
}

/** Seconds of all processors (proc_stat(5)). */
function parse(text: string): { readonly busy: number; readonly total: number } {
  const [, line = ''] = /^cpu +(.*)$/m.exec(text) ?? [];
  // Time of guests is part of user and nice.
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = line
    .split(' ')
    .map((ticks) => Number(ticks) / TICKS);
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, total: busy + idle + ioWait };
}
