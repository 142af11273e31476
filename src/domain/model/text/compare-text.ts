/** Compares texts by their UTF-16 code units, for `Array.prototype.sort`. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
