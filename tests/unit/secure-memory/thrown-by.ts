import { AssertionError } from 'chai';

/** The error that `action` throws; fails when it throws none. */
export function thrownBy(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new AssertionError('what was thrown is no Error');
  }
  throw new AssertionError('nothing was thrown');
}
