import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../stage/replica.ts';

/** Signatures of each account, by `platformId/accountId`. */
export type Totals = ReadonlyMap<string, number>;

const LAG_MS = 15_000;
const LOOK_MS = 200;

/** The totals that replicas tell which share them: those that satisfy from all of them, or what one told when the time to catch up was over. */
export async function totalsOnce(replicas: readonly Replica[], satisfy: (totals: Totals) => boolean): Promise<Totals> {
  const limit = performance.now() + LAG_MS;
  for (;;) {
    const told = await Promise.all(replicas.map((replica) => replica.totals()));
    const [last = told[0] ?? new Map()] = told.filter((totals) => !satisfy(totals));
    if (satisfy(last) || performance.now() > limit) return last;
    await sleep(LOOK_MS);
  }
}

/** Accounts that never signed count as none. */
export function isSame(left: Totals, right: Totals): boolean {
  const accounts = new Set([...left.keys(), ...right.keys()]);
  return [...accounts].every((account) => (left.get(account) ?? 0) === (right.get(account) ?? 0));
}
