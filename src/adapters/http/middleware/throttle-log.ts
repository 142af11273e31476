import { LogThrottle } from '../../../domain/flow/log-throttle.ts';

/**
 * Throttles a log line that callers can trigger: reports the first call at once, then the number of
 * calls once an interval. Does not keep the process alive.
 * @param intervalMs milliseconds; default a minute
 */
export function throttleLog(report: (count: number) => void, intervalMs = 60_000): () => void {
  // The timer is the clock: it counts intervals.
  let intervals = 0;
  const throttle = new LogThrottle({ monotonic: () => intervals }, 1);
  const reportDue = (count: number) => {
    if (count === 0) return;
    setTimeout(() => {
      intervals += 1;
      reportDue(throttle.due());
    }, intervalMs).unref();
    report(count);
  };
  return () => reportDue(throttle.occurred());
}
