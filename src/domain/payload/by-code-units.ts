/** Order of two members by the UTF-16 code units of their names, for names that differ. For ASCII it is the order of the bytes. */
export function byCodeUnits([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  // ECMAScript compares strings by UTF-16 code units.
  return left < right ? -1 : 1;
}
