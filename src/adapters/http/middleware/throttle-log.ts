import { LOG_INTERVAL_MS, MAX_TOPICS, OTHER_TOPICS } from '../../../domain/flow/log-throttle.ts';

interface Unlogged<Example> {
  count: number;
  example: Example;
}

/**
 * Throttles a log line that callers can trigger: reports the first call at once, then the number of
 * calls once an interval. Does not keep the process alive.
 * @param intervalMs milliseconds; default a minute
 */
export function throttleLog(report: (count: number) => void, intervalMs = LOG_INTERVAL_MS): () => void {
  const occurred = throttleFaults<null>(report, { intervalMs });
  return () => occurred('', null);
}

/**
 * As {@link throttleLog}, separately for each fault. Faults beyond {@link MAX_TOPICS} share a line.
 * @param report writes the line of one fault: how often it occurred since its last line, and an
 *   example
 * @param merge the example of the next line after one more occurrence; default: the latest
 */
export function throttleFaults<Example>(
  report: (count: number, example: Example) => void,
  {
    intervalMs = LOG_INTERVAL_MS,
    merge = (_earlier, latest) => latest,
  }: { readonly intervalMs?: number; readonly merge?: (earlier: Example, latest: Example) => Example } = {},
): (fault: string, example: Example, times?: number) => void {
  /** Faults of the current interval; null without unlogged occurrences. */
  const faults = new Map<string, Unlogged<Example> | null>();
  const write = (fault: string, { count, example }: Unlogged<Example>) => {
    faults.set(fault, null);
    setTimeout(() => endInterval(fault), intervalMs).unref();
    report(count, example);
  };
  const endInterval = (fault: string) => {
    const unlogged = faults.get(fault) ?? null;
    if (unlogged === null) faults.delete(fault);
    else write(fault, unlogged);
  };
  return (fault, example, times = 1) => {
    const name = faults.has(fault) || faults.size < MAX_TOPICS ? fault : OTHER_TOPICS;
    const unlogged = faults.get(name);
    if (unlogged === undefined) write(name, { count: times, example });
    else if (unlogged === null) faults.set(name, { count: times, example });
    else {
      unlogged.count += times;
      unlogged.example = merge(unlogged.example, example);
    }
  };
}
