import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

/** Runs something whose timeouts end only by `tick`, also those of node:timers/promises. */
export async function withFakeTimeouts(run: (tick: (milliseconds: number) => void) => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  syncBuiltinESMExports();
  try {
    await run((milliseconds) => mock.timers.tick(milliseconds));
  } finally {
    mock.timers.reset();
    syncBuiltinESMExports();
  }
}
