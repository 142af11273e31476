import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { MAX_ACCOUNTS, MAX_REPLICAS } from './other-replicas.ts';

/** Another reason than the one that was told is told no sooner, milliseconds: reasons may take turns. */
const NEXT_REASON_MS = 60_000;

/** What there was no more room for. */
export type Overflow = 'replicas' | 'accounts';

const OVERFLOWS: { readonly [what in Overflow]: string } = {
  replicas: `Redis knows of more than ${MAX_REPLICAS} replicas: what the others counted is in no reading. Give replicas names that last (SIGNING_INSTANCE_ID).`,
  accounts: `Other replicas used more than ${MAX_ACCOUNTS} accounts in all: what they counted of the rest is in the totals, and not in the readings of accounts.`,
};

/**
 * Says whether counters are shared, to whoever asks and to the log: when it ends, when there is another reason (at most once a minute), and when it goes on; and not each
 * time that it is tried.
 */
export class SharingReport {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #log: ServiceLog;
  readonly #facts: { readonly redis: string };
  #since: string | null;
  #reason: string | null = null;
  /** What the log was told since they were current, and when, by the monotonic clock. */
  #told: { readonly reason: string; readonly at: number } | null = null;
  readonly #toldOverflows = new Set<Overflow>();
  #wasEverCurrent = false;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Pick<Clock, 'now' | 'monotonic'>, log: ServiceLog) {
    this.#facts = { redis };
    this.#clock = clock;
    this.#log = log;
    this.#since = this.#now();
  }

  /** Since when they are behind, ISO 8601 UTC; null while they are current. */
  get since(): string | null {
    return this.#since;
  }

  /** Why they are behind, in the words of the log; null while they are current, and while there is nothing to tell. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Everything was written and read. */
  current(replicas: number): void {
    this.#since = null;
    this.#reason = null;
    if (this.#told !== null || !this.#wasEverCurrent) {
      this.#log.info('The usage counters are shared.', { ...this.#facts, replicas });
    }
    this.#told = null;
    this.#wasEverCurrent = true;
  }

  /** They are behind, for now without a reason to tell of it. */
  behind(): void {
    this.#since ??= this.#now();
    this.#reason = null;
  }

  /** @param reason as a RedisFault has it */
  failed(reason: string): void {
    if (!this.#isNews(`Redis: ${reason}`)) return;
    this.#log.warn(
      `The usage counters are not shared for now. Redis: ${reason}. No signature needs them, and nothing is lost: what is counted meanwhile is shared when this is over.`,
      this.#facts,
    );
  }

  /** Another process writes under this name. */
  taken(instanceId: string): void {
    const reason = `Another running process shares its usage counters under the instance id ${instanceId}`;
    if (!this.#isNews(reason)) return;
    this.#log.error(
      `${reason}, so this one does not. Set SIGNING_INSTANCE_ID to a name of its own for each replica.`,
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

  /** There is more than is kept. Told once. */
  overflowed(what: Overflow): void {
    if (this.#toldOverflows.has(what)) return;
    this.#toldOverflows.add(what);
    this.#log.warn(OVERFLOWS[what], this.#facts);
  }

  /** They are behind for this reason. Returns whether the log has to be told. */
  #isNews(reason: string): boolean {
    this.behind();
    this.#reason = reason;
    const at = this.#clock.monotonic();
    if (this.#told !== null && (this.#told.reason === reason || at - this.#told.at < NEXT_REASON_MS)) return false;
    this.#told = { reason, at };
    return true;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
