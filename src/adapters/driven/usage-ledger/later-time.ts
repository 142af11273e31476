/**
 * The later of two times, ISO 8601 UTC texts of one width, which sort as their instants do. Clocks are set back, and records of several instances are counted one after the other.
 * @param known null for none
 */
export function laterTime(known: string | null, time: string): string {
  return known !== null && known > time ? known : time;
}
