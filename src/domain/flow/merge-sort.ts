import type { TimeSlice } from './time-slice.ts';

/** Items sorted in one step: a fraction of a millisecond. */
const MAX_SORTED_AT_ONCE = 256;

/**
 * A sorted copy, made in slices: sorting 100,000 items at once takes about 100 ms. Stable.
 * @param compare as for `Array.prototype.sort`
 */
export async function mergeSort<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
  slice: TimeSlice,
): Promise<readonly Item[]> {
  await slice.yieldIfExpired();
  if (items.length <= MAX_SORTED_AT_ONCE) return items.toSorted(compare);
  const half = Math.ceil(items.length / 2);
  const left = await mergeSort(items.slice(0, half), compare, slice);
  const right = await mergeSort(items.slice(half), compare, slice);
  const merged: Item[] = [];
  let taken = 0;
  await slice.forEach(left, (item) => {
    for (let next = right[taken]; next !== undefined && compare(next, item) < 0; next = right[taken]) {
      merged.push(next);
      taken += 1;
    }
    merged.push(item);
  });
  return merged.concat(right.slice(taken));
}
