import { setTimeout as sleep } from 'node:timers/promises';
import { AssertionError } from 'chai';

const LOOK_MS = 10;

/** Waits until an assertion holds, for up to `limitMs`; fails as it failed the last time. */
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
