import { readFileSync } from 'node:fs';

/** `locked` while every lock has succeeded; `unlocked` for good once one has failed, because what it was for may stand in swap by now. */
export type MemoryLockState = 'locked' | 'unlocked';

const HOW_TO_RAISE =
  'Raise the limit on locked memory: `ulimit -l 65536` in a shell (an administrator sets how far it may go in /etc/security/limits.conf, item memlock), ' +
  'LimitMEMLOCK=64M in a systemd unit, `--ulimit memlock=67108864` for a container.';

let whenFirstUnlocked: ((warning: string) => void) | undefined;
let state: MemoryLockState = 'locked';

/**
 * Lets this process go on, from now on, with memory that can't be locked into RAM. It is guarded, without access between uses, left out of core
 * dumps and wiped as before, but it can be written to swap.
 *
 * @param onFirstFailure is told, once in the life of the process, what failed and what to do; synchronously, so it should only log
 */
export function allowUnlockedMemory(onFirstFailure: (warning: string) => void): void {
  whenFirstUnlocked = onFirstFailure;
}

/** Whether all memory for secrets could be locked so far. */
export function memoryLockState(): MemoryLockState {
  return state;
}

/** Remembers a failed lock where {@link allowUnlockedMemory} allowed it. @returns false where it did not, and nothing may go on */
export function acceptFailedLock(): boolean {
  if (whenFirstUnlocked === undefined) return false;
  if (state === 'unlocked') return true;
  state = 'unlocked';
  whenFirstUnlocked(
    `${describeFailedLock()} This program goes on all the same, as SIGNING_MEMORY_LOCK=warn says: keys can be written to swap.`,
  );
  return true;
}

/** What failed, the limit that is in force (Linux) and how to raise it. */
export function describeFailedLock(): string {
  const limit = currentLimit();
  const reason = limit === undefined ? '' : `, the limit is ${limit}`;
  return `Memory for keys can not be locked into RAM${reason}. ${HOW_TO_RAISE}`;
}

/** The soft limit (RLIMIT_MEMLOCK), from proc_pid_limits(5). */
function currentLimit(): string | undefined {
  try {
    const soft = /^Max locked memory +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined || soft === 'unlimited' ? soft : `${soft} bytes`;
  } catch {
    // Other systems have no such file; the advice stands without the number.
    return undefined;
  }
}
