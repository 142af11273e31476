/** What signals act on. */
export interface SignalTarget {
  reload(): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Answers signals from now on, also those that come while the service still starts: SIGTERM and SIGINT stop it and end the process with code 0,
 * SIGHUP reloads. It imports nothing, so that a program can call it before it loads anything else.
 * @param starting resolves to the service, or to undefined when it did not start
 */
export function handleSignals(starting: Promise<SignalTarget | undefined>): void {
  process.on('SIGHUP', () => void starting.then((service) => service?.reload()));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void starting.then(stopAndExit));
  }
}

/**
 * Keeps the debugger closed: on SIGUSR1 Node opens its inspector, which reads and changes all of the memory, unless a program listens for that
 * signal. Call it first of all; before the first line of JavaScript nothing can be done about it but `--disable-sigusr1` (Node 22.14 and newer).
 * Standard error tells of each try, until another listener tells of it somewhere better.
 */
export function keepDebuggerClosed(): void {
  process.on('SIGUSR1', () => {
    if (process.listenerCount('SIGUSR1') > 1) return;
    process.stderr.write('SIGUSR1 was ignored: the debugger stays closed.\n');
  });
}

async function stopAndExit(service: SignalTarget | undefined): Promise<void> {
  if (service === undefined) return;
  await service.stop();
  process.exit(0);
}
