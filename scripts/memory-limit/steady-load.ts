import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Onslaught, OnslaughtResult } from '../load/overload-callers.ts';
import type { Tally } from './attacks.ts';

/**
 * Sends signing requests at a steady rate from a process of its own.
 * @param rate requests a second
 */
export async function steadyLoad(port: number, rate: number, seconds: number): Promise<Tally> {
  const callers = fork(resolve(import.meta.dirname, '../load/overload-callers.ts'), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  try {
    const message = once(callers, 'message');
    const onslaught: Onslaught = { port, ms: seconds * 1000, rate, idle: 0, pipelined: 1 };
    callers.send(onslaught);
    const [{ signed, refused, errors }] = (await message) as [OnslaughtResult];
    return {
      200: signed.count,
      ...(refused.count > 0 && { 503: refused.count }),
      ...(errors > 0 && { other: errors }),
    };
  } finally {
    callers.kill();
  }
}
