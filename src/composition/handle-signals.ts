/** What signals act on. */
export interface SignalTarget {
  reload(): Promise<unknown>;
  /** Announces the stop by readiness, and stops after a while. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Signals that stop the service at once; by default they would end the process with its keys in
 * memory and no record of the stop.
 */
const STOPPING_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGXCPU'] as const;

/**
 * Handles signals from now on, also while the service still starts: SIGTERM, by which orchestrators
 * stop it, announces the stop first, SIGINT (Ctrl-C) and its like stop it at once, and either ends
 * the process with code 0; SIGHUP reloads. It imports nothing, so that a program can call it before
 * it loads anything else.
 * @param starting resolves to the service, or to undefined when it did not start
 */
export function handleSignals(starting: Promise<SignalTarget | undefined>): void {
  process.on('SIGHUP', () => void starting.then((service) => service?.reload()));
  process.on('SIGTERM', () => void starting.then((service) => endAfter(service?.drain())));
  for (const signal of STOPPING_SIGNALS) {
    process.on(signal, () => void starting.then((service) => endAfter(service?.stop())));
  }
}

/**
 * Keeps the debugger closed: on SIGUSR1 Node opens its inspector, which reads and changes all of
 * the memory, unless a program listens for that signal. Call it first of all; before the first line
 * of JavaScript only `--disable-sigusr1` helps (Node 22.14 and newer). Each attempt is reported on
 * standard error, unless another listener reports it.
 */
export function keepDebuggerClosed(): void {
  process.on('SIGUSR1', () => {
    if (process.listenerCount('SIGUSR1') > 1) return;
    process.stderr.write('SIGUSR1 was ignored: the debugger stays closed.\n');
  });
}

/** A service that did not start has nothing to end; its exit code says why. */
async function endAfter(stopped: Promise<void> | undefined): Promise<void> {
  if (stopped === undefined) return;
  await stopped;
  process.exit(0);
}
