import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * What `work` resolves to, or what `late` returns when that takes longer. The timer keeps the
 * process alive, and ends with the work. If this process itself was late, what has arrived
 * meanwhile is in time.
 * @param milliseconds from now
 * @throws what `work` rejects with in time, or what `late` throws
 */
export async function settleWithin<Value, Late>(
  milliseconds: number,
  work: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  const isOver = new AbortController();
  const overdue = async () => {
    await setTimeout(milliseconds, undefined, isOver);
    // Timers run before the event loop reads what has arrived, and this after it.
    await setImmediate(undefined, isOver);
    return late();
  };
  try {
    return await Promise.race([work, overdue()]);
  } finally {
    isOver.abort();
  }
}
