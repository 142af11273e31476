import type { Turns } from './turns.ts';

/** Values that are sorted at once: a fraction of a millisecond. */
const RUN = 256;

/** Steps of a merge between two looks at the clock. */
const STEPS = 256;

/** A sorted copy of many values, made in slices between which others get turns; a stable merge sort. */
export async function sortInTurns<Value>(
  values: readonly Value[],
  compare: (left: Value, right: Value) => number,
  turns: Turns,
): Promise<readonly Value[]> {
  let runs: (readonly Value[])[] = [];
  for (let at = 0; at < values.length; at += RUN) {
    runs.push(values.slice(at, at + RUN).sort(compare));
    await turns.pause();
  }
  while (runs.length > 1) {
    const merged: (readonly Value[])[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right = []] = runs.slice(at, at + 2);
      merged.push(await merge(left, right, compare, turns));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Value>(
  left: readonly Value[],
  right: readonly Value[],
  compare: (left: Value, right: Value) => number,
  turns: Turns,
): Promise<readonly Value[]> {
  const merged: Value[] = [];
  const [fromLeft, fromRight] = [left.values(), right.values()];
  let [first, second] = [fromLeft.next(), fromRight.next()];
  while (!first.done || !second.done) {
    if (second.done || (!first.done && compare(first.value, second.value) <= 0)) {
      merged.push(first.value as Value);
      first = fromLeft.next();
    } else {
      merged.push(second.value);
      second = fromRight.next();
    }
    if (merged.length % STEPS === 0) await turns.pause();
  }
  return merged;
}
