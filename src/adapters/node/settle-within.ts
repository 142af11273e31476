/**
 * What `work` resolves to, or what `late` returns when that takes longer. The timer keeps the
 * process alive, and ends with the work.
 * @param milliseconds from now
 * @throws what `work` rejects with in time, or what `late` throws
 */
export async function settleWithin<Value, Late>(
  milliseconds: number,
  work: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<Late>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, milliseconds);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
