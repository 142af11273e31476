/**
 * How many of `all` rounds a crash test makes: all, or the share of them that CRASH_TEST_SHARE says, above 0 and up to 1. Each round begins at a moment of its own, left to chance: where the tests
 * run with every change, a share of the rounds each time comes to more than all of them once.
 */
export function rounds(all: number): number {
  const share = Number(process.env['CRASH_TEST_SHARE'] ?? 1);
  if (!(share > 0 && share <= 1)) throw new Error('CRASH_TEST_SHARE has to be above 0 and up to 1.');
  return Math.ceil(all * share);
}
