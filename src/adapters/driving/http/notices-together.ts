/** At most one notice in so many milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * For what may happen thousands of times a second: returns what is to be called each time, and `tell` is called the first time at once, and for those that follow together, with their number, at most once an
 * interval. It keeps no process alive.
 */
export function noticesTogether(tell: (count: number) => void, intervalMs = INTERVAL_MS): () => void {
  let count = 0;
  let isPausing = false;
  const tellNow = () => {
    isPausing = count > 0;
    if (!isPausing) return;
    const told = count;
    count = 0;
    setTimeout(tellNow, intervalMs).unref();
    tell(told);
  };
  return () => {
    count += 1;
    if (!isPausing) tellNow();
  };
}
