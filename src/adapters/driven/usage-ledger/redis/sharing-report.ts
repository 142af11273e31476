import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';

/** Says whether counters are shared, to whoever asks and to the log: once when it ends and once when it goes on, and not each time that it is tried. */
export class SharingReport {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: ServiceLog;
  readonly #facts: { readonly redis: string };
  #since: string | null;
  #wasTold = false;
  #wasEverCurrent = false;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Pick<Clock, 'now'>, log: ServiceLog) {
    this.#facts = { redis };
    this.#clock = clock;
    this.#log = log;
    this.#since = this.#now();
  }

  /** Since when they are behind, ISO 8601 UTC; null while they are current. */
  get since(): string | null {
    return this.#since;
  }

  /** Everything was written and read. */
  current(replicas: number): void {
    this.#since = null;
    if (this.#wasTold || !this.#wasEverCurrent) {
      this.#log.info('The usage counters are shared.', { ...this.#facts, replicas });
    }
    this.#wasTold = false;
    this.#wasEverCurrent = true;
  }

  /** They are behind, for now without a reason to tell of it. */
  behind(): void {
    this.#since ??= this.#now();
  }

  /** @param reason as a RedisFault has it */
  failed(reason: string): void {
    this.behind();
    if (this.#wasTold) return;
    this.#wasTold = true;
    this.#log.warn(
      `The usage counters are not shared for now. Redis: ${reason}. Signing goes on, and nothing is lost: what is counted meanwhile is shared when this is over.`,
      this.#facts,
    );
  }

  /** Another process writes under this name. */
  taken(instanceId: string): void {
    this.behind();
    if (this.#wasTold) return;
    this.#wasTold = true;
    this.#log.error(
      `Another running process shares its usage counters under the instance id ${instanceId}, so this one does not. Set SIGNING_INSTANCE_ID to a name of its own for each replica.`,
      this.#facts,
    );
  }

  /** Redis holds what the audit records don't say. */
  carried(
    instanceId: string,
    { totalSigns, errorCount }: { readonly totalSigns: number; readonly errorCount: number },
  ): void {
    this.#log.warn(
      `Redis holds more of the instance ${instanceId} than its audit records say (signatures: ${totalSigns}, errors: ${errorCount}): its audit file was lost, replaced or cut, or the counters in Redis were falsified. ` +
        'They stay in the totals.',
      this.#facts,
    );
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
