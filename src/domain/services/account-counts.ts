import type { Clock } from '../../ports/clock.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import { ACCOUNT_STATUSES, type AccountStatus } from '../model/account.ts';
import { memoizeByObject } from '../model/memoize.ts';
import type { Registry } from '../model/registry.ts';

/** Accounts of a platform with a status; zero included. */
export interface AccountCount {
  readonly platformId: string;
  readonly status: AccountStatus;
  readonly count: number;
}

/** Counts each platform's accounts by status: in slices, once per generation, on demand. */
export class AccountCounts {
  /** One count for each configured platform and status, zero included. */
  readonly of: (registry: Registry) => Promise<readonly AccountCount[]>;

  constructor(clock: Clock) {
    this.of = memoizeByObject((registry) => countAccounts(registry, new TimeSlice(clock)));
  }
}

async function countAccounts(registry: Registry, slice: TimeSlice): Promise<readonly AccountCount[]> {
  const counts = new Map<string, number>();
  await slice.forEach(registry.accounts(), ({ platformId, status }) => {
    const key = toKey(platformId, status);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  return registry.platformIds.flatMap((platformId) =>
    ACCOUNT_STATUSES.map((status) => ({ platformId, status, count: counts.get(toKey(platformId, status)) ?? 0 })),
  );
}

/** No id has a space. */
function toKey(platformId: string, status: string): string {
  return `${platformId} ${status}`;
}
