/**
 * Rounds of a crash test: `all`, or the share set by CRASH_TEST_SHARE (above 0, up to 1). Kills
 * come at random moments, so many short runs cover more than a long one.
 */
export function rounds(all: number): number {
  const share = Number(process.env['CRASH_TEST_SHARE'] ?? 1);
  if (!(share > 0 && share <= 1)) throw new Error('CRASH_TEST_SHARE has to be above 0 and up to 1.');
  return Math.ceil(all * share);
}
