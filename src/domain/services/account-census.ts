import type { Clock } from '../../ports/clock.ts';
import { ACCOUNT_STATUSES } from '../model/account.ts';
import type { Registry } from '../model/registry.ts';
import type { AccountCount } from '../model/service-state.ts';
import { Turns } from './turns.ts';

/** How many accounts of each platform have which status: counted once a generation, when that is first asked for, in turns with requests. */
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
    const turns = new Turns(this.#clock);
    const counts = new Map<string, number>();
    for (const { platformId, status } of registry.accounts()) {
      const key = keyOf(platformId, status);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (turns.isOver) await turns.next();
    }
    return registry.platformIds.flatMap((platformId) =>
      ACCOUNT_STATUSES.map((status) => ({ platformId, status, count: counts.get(keyOf(platformId, status)) ?? 0 })),
    );
  }
}

/** No id has a space. */
function keyOf(platformId: string, status: string): string {
  return `${platformId} ${status}`;
}
