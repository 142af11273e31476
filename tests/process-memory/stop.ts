import { readdirSync, readFileSync } from 'node:fs';

const WAIT_MS = 1;
const MAX_WAITS = 5000;

/** Runs `action` while all threads of a process are stopped (SIGSTOP). */
export function whileStopped<Result>(pid: number, action: () => Result): Result {
  process.kill(pid, 'SIGSTOP');
  try {
    waitUntilStopped(pid);
    return action();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

function waitUntilStopped(pid: number): void {
  for (let wait = 0; wait < MAX_WAITS; wait += 1) {
    if (readdirSync(`/proc/${pid}/task`).every((thread) => stateOf(pid, thread) === 'T')) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
  throw new Error(`Process ${pid} could not be stopped for the search of its memory.`);
}

/** The state letter after the parenthesised name (proc_pid_stat(5)). */
function stateOf(pid: number, thread: string): string | undefined {
  return /^.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1];
}
