/**
 * How many of `all` rounds a crash test makes: all, or the share of them that CRASH_TEST_SHARE says, above 0 and up to 1, for machines that run the tests with every change. What is killed
 * is killed at moments left to chance, so that many runs of a few rounds see more of them than one run of all.
 */
export function rounds(all: number): number {
  const share = Number(process.env['CRASH_TEST_SHARE'] ?? 1);
  if (!(share > 0 && share <= 1)) throw new Error('CRASH_TEST_SHARE has to be above 0 and up to 1.');
  return Math.ceil(all * share);
}
