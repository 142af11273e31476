import { readFileSync } from 'node:fs';

/** Ticks a second of the times in /proc, the same on every Linux that Node runs on (`getconf CLK_TCK`). */
const TICKS = 100;
/** User and system time among the fields behind the name of the program (proc_pid_stat(5): fields 14 and 15). */
const [USER_AT, SYSTEM_AT] = [11, 12];

/** Seconds that all threads of a process have had a processor since it began, user and system, to a hundredth. */
export function cpuSeconds(pid: number): number {
  return cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The same, out of the text of its `stat`. The name of the program, in brackets, may hold blanks and brackets. */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_AT]) + Number(fields[SYSTEM_AT])) / TICKS;
}

/** Seconds that all processors together were not idle since the machine began; with what a hypervisor gave to other machines meanwhile. */
export function busySeconds(): number {
  return busySecondsIn(readFileSync('/proc/stat', 'utf8'));
}

/** The same, out of the text of /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal; guests are in user. */
export function busySecondsIn(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.+)$/m.exec(stat)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}
