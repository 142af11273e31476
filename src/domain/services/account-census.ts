import type { Clock } from '../../ports/clock.ts';
import { ACCOUNT_STATUSES } from '../model/account.ts';
import type { Registry } from '../model/registry.ts';
import type { AccountCount } from '../model/service-state.ts';
import { TimeSlice } from './time-slice.ts';

/**
 * Counts the accounts of each platform by status: once a generation, on the first request for it,
 * in slices.
 */
export class AccountCensus {
  readonly #clock: Clock;
  readonly #counted = new WeakMap<Registry, Promise<readonly AccountCount[]>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One count for each configured platform and status, zero included. */
  of(registry: Registry): Promise<readonly AccountCount[]> {
    const known = this.#counted.get(registry);
    if (known !== undefined) return known;
    const counting = this.#count(registry);
    this.#counted.set(registry, counting);
    return counting;
  }

  async #count(registry: Registry): Promise<readonly AccountCount[]> {
    const counts = new Map<string, number>();
    await new TimeSlice(this.#clock).forEach(registry.accounts(), ({ platformId, status }) => {
      const key = keyOf(platformId, status);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    return registry.platformIds.flatMap((platformId) =>
      ACCOUNT_STATUSES.map((status) => ({ platformId, status, count: counts.get(keyOf(platformId, status)) ?? 0 })),
    );
  }
}

/** No id has a space. */
function keyOf(platformId: string, status: string): string {
  return `${platformId} ${status}`;
}
