import type { UsageTotals } from '../../../domain/model/usage.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { MAX_ACCOUNTS, MAX_REPLICAS } from './remote-counters.ts';

/** Least time between two reasons in the log, milliseconds: reasons may alternate. */
const NEXT_REASON_MS = 60_000;

const OVERFLOWS = {
  replicas: `Redis knows of more than ${MAX_REPLICAS} replicas: what the others counted is in no reading. Give replicas names that last (SIGNING_INSTANCE_ID).`,
  accounts: `Other replicas used more than ${MAX_ACCOUNTS} accounts in all: what they counted of the rest is in the totals, and not in the readings of accounts.`,
};

/**
 * Whether counters are shared, for readers and for the log: one line when sharing stops, one when
 * the reason changes (at most once a minute), one when it works again.
 */
export class SharingReport {
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #facts: { readonly redis: string };
  #since: string | null;
  #reason: string | null = null;
  /** The last reason that was logged since they were current, and when, monotonic milliseconds. */
  #logged: { readonly reason: string; readonly at: number } | null = null;
  /** Warnings that are logged once. */
  readonly #warned = new Set<string>();
  #wasEverCurrent = false;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Clock, log: ServiceLog) {
    this.#facts = { redis };
    this.#clock = clock;
    this.#log = log;
    this.#since = this.#now();
  }

  /** Since when they are behind, ISO 8601 UTC; null while they are current. */
  get since(): string | null {
    return this.#since;
  }

  /**
   * Why they are behind, in the words of the log; null while they are current or the reason is
   * unknown.
   */
  get reason(): string | null {
    return this.#reason;
  }

  /** Everything was written and read. */
  current(replicas: number): void {
    this.#since = null;
    this.#reason = null;
    if (this.#logged !== null || !this.#wasEverCurrent) {
      this.#log.info('The usage counters are shared.', { ...this.#facts, replicas });
    }
    this.#logged = null;
    this.#wasEverCurrent = true;
  }

  /** They are behind, for no known reason. */
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

  /** Another process holds the lease of this name. */
  taken(instanceId: string): void {
    const reason = `Another running process shares its usage counters under the instance id ${instanceId}`;
    if (!this.#isNews(reason)) return;
    this.#log.error(
      `${reason}, so this one does not. Set SIGNING_INSTANCE_ID to a name of its own for each replica.`,
      this.#facts,
    );
  }

  /**
   * Redis holds higher totals of this replica than its audit records say; by how much. Logged once.
   */
  exceeded(instanceId: string, { totalSigns, errorCount }: UsageTotals): void {
    this.#warnOnce(
      'exceeded',
      `Redis holds more of the instance ${instanceId} than its audit records say (signatures: ${totalSigns}, errors: ${errorCount}): its audit file was lost, replaced or cut, or the counters in Redis were falsified. ` +
        'What the audit records say is counted.',
    );
  }

  /** There is more than is kept. Logged once. */
  overflowed(what: keyof typeof OVERFLOWS): void {
    this.#warnOnce(what, OVERFLOWS[what]);
  }

  #warnOnce(what: string, message: string): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    this.#log.warn(message, this.#facts);
  }

  /** They are behind for this reason. Returns whether it has to be logged. */
  #isNews(reason: string): boolean {
    this.behind();
    this.#reason = reason;
    const at = this.#clock.monotonic();
    if (this.#logged !== null && (this.#logged.reason === reason || at - this.#logged.at < NEXT_REASON_MS))
      return false;
    this.#logged = { reason, at };
    return true;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
