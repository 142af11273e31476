import { setTimeout as sleep } from 'node:timers/promises';
import { AssertionError } from 'chai';

const LOOK_MS = 10;

/** Retries an assertion for up to `limitMs`; fails with its last error. */
export async function until(assertion: () => unknown, limitMs = 30_000): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (!(error instanceof AssertionError) || performance.now() > end) throw error;
    }
    await sleep(LOOK_MS);
  }
}
