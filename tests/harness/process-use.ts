import { readFileSync } from 'node:fs';

/* Use of processor and memory by processes, from Linux's /proc. */

/** Clock ticks a second of /proc (`getconf CLK_TCK`). */
const TICKS = 100;

/**
 * User and system time of processes with all threads (proc_pid_stat(5), fields 14 and 15), seconds.
 * @throws Error if a process has ended
 */
export function cpuSeconds(...pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name, in brackets, may contain blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS;
  }, 0);
}

/** Resident memory of processes (proc_pid_status(5)), bytes. @throws Error if one has ended */
export function residentBytes(...pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return sum + Number(kib) * 1024;
  }, 0);
}
