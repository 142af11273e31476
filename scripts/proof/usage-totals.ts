import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../stage/replica.ts';

/** Signatures of each account, by `platformId/accountId`. */
export type Totals = ReadonlyMap<string, number>;

const LAG_MS = 15_000;
const LOOK_MS = 200;

/**
 * Totals of each account over all replicas: those that satisfy, or what was told when the time for shared counters to catch up was over.
 * @param areShared whether each replica tells the totals of all, and not its own, which are then added up
 */
export async function totalsOnce(
  replicas: readonly Replica[],
  areShared: boolean,
  satisfy: (totals: Totals) => boolean,
): Promise<Totals> {
  const limit = performance.now() + (areShared ? LAG_MS : 0);
  for (;;) {
    const told = await Promise.all(replicas.map((replica) => replica.totals()));
    const totals = areShared ? told : [summed(told)];
    const last = totals.find((one) => !satisfy(one));
    if (last === undefined) return totals[0] ?? new Map<string, number>();
    if (performance.now() > limit) return last;
    await sleep(LOOK_MS);
  }
}

function summed(parts: readonly Totals[]): Totals {
  const sum = new Map<string, number>();
  for (const [account, count] of parts.flatMap((part) => [...part])) sum.set(account, (sum.get(account) ?? 0) + count);
  return sum;
}

/** Accounts that never signed count as none. */
export function isSame(left: Totals, right: Totals): boolean {
  const accounts = new Set([...left.keys(), ...right.keys()]);
  return [...accounts].every((account) => (left.get(account) ?? 0) === (right.get(account) ?? 0));
}
