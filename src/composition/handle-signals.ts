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

async function stopAndExit(service: SignalTarget | undefined): Promise<void> {
  if (service === undefined) return;
  await service.stop();
  process.exit(0);
}
