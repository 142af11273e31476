/** Target of signals. */
export interface SignalTarget {
  reload(): Promise<unknown>;
  /** Announces the stop through readiness, then stops. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Signals that stop at once; by default they would end the process without wiping keys or recording
 * the stop.
 */
const STOPPING_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGXCPU'] as const;

/**
 * Handles signals, also during the start: SIGTERM drains, SIGINT and others stop at once, both exit
 * with 0; SIGHUP reloads. Imports nothing, so that programs can call it first.
 * @param starting undefined if the service did not start
 */
export function handleSignals(starting: Promise<SignalTarget | undefined>): void {
  process.on('SIGHUP', () => void starting.then((service) => service?.reload()));
  process.on('SIGTERM', () => void starting.then((service) => endAfter(service?.drain())));
  for (const signal of STOPPING_SIGNALS) {
    process.on(signal, () => void starting.then((service) => endAfter(service?.stop())));
  }
}

/**
 * Keeps the debugger closed, which Node opens on SIGUSR1 unless a listener handles it. Call it
 * first; before the first line of JavaScript only `--disable-sigusr1` helps (Node 22.14). Reports
 * each attempt on standard error, unless another listener does.
 */
export function blockDebugger(): void {
  process.on('SIGUSR1', () => {
    if (process.listenerCount('SIGUSR1') > 1) return;
    process.stderr.write('SIGUSR1 was ignored: the debugger stays closed.\n');
  });
}

/** A service that did not start has set its exit code. */
async function endAfter(stopped: Promise<void> | undefined): Promise<void> {
  if (stopped === undefined) return;
  await stopped;
  process.exit(0);
}
