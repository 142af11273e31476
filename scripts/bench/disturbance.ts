import { readFileSync } from 'node:fs';
import { cpuSeconds, TICKS } from '../service/process-use.ts';

/** Share of the machine's processor time that other programs may take. */
const TOLERATED = 0.1;

/**
 * Watches from now on whether other programs use the machine.
 * @param pids all processes of a round: callers and services
 * @returns whether others have used more than a tenth of its processor time since the call; the
 *   host of a virtual machine counts, by stolen time
 */
export function watchMachine(pids: readonly number[]): () => boolean {
  const [from, own] = [readMachine(), cpuSeconds(...pids)];
  return () => {
    const to = readMachine();
    const others = to.busy - from.busy - (cpuSeconds(...pids) - own);
    return others > TOLERATED * (to.total - from.total);
  };
}

/** Seconds of all processors (proc_stat(5)). */
function readMachine(): { readonly busy: number; readonly total: number } {
  const [, line = ''] = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8')) ?? [];
  // Time of guests is part of user and nice.
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = line
    .split(' ')
    .map((ticks) => Number(ticks) / TICKS);
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, total: busy + idle + ioWait };
}
