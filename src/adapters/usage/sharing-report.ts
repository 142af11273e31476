import { Outage } from '../../domain/flow/log-throttle.ts';
import type { UsageTotals } from '../../domain/model/account.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { MAX_ACCOUNTS, MAX_REPLICAS } from './remote-counters.ts';

const OVERFLOWS = {
  replicas: `Redis knows of more than ${MAX_REPLICAS} replicas: what the others counted is in no reading. Give replicas names that last (SIGNING_INSTANCE_ID).`,
  accounts: `Other replicas used more than ${MAX_ACCOUNTS} accounts in all: what they counted of the rest is in the totals, and not in the readings of accounts.`,
};

/** Logs and reports whether counters are shared. */
export class SharingReport {
  readonly #outage: Outage;
  readonly #log: ServiceLog;
  readonly #facts: { readonly redis: string };
  /** Warnings already logged. */
  readonly #warned = new Set<string>();
  #wasEverCurrent = false;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Clock, log: ServiceLog) {
    this.#facts = { redis };
    this.#outage = new Outage(clock);
    this.#log = log;
    this.#outage.begin();
  }

  /** Start of the delay, ISO 8601 UTC; null while current. */
  get since(): string | null {
    return this.#outage.since;
  }

  /** Reason of the delay, as logged; null while current or unknown. */
  get reason(): string | null {
    return this.#outage.reason;
  }

  /** Everything was written and read. */
  current(replicas: number): void {
    if (this.#outage.end() || !this.#wasEverCurrent) {
      this.#log.info('The usage counters are shared.', { ...this.#facts, replicas });
    }
    this.#wasEverCurrent = true;
  }

  /** Behind without a known reason. */
  behind(): void {
    this.#outage.begin();
  }

  /** @param reason message of a RedisError */
  failed(reason: string): void {
    if (!this.#outage.failed(`Redis: ${reason}`)) return;
    this.#log.warn(
      `The usage counters are not shared for now. Redis: ${reason}. No signature needs them, and nothing is lost: what is counted meanwhile is shared when this is over.`,
      this.#facts,
    );
  }

  /** Another process holds the lease of this name. */
  taken(instanceId: string): void {
    const reason = `Another running process shares its usage counters under the instance id ${instanceId}`;
    if (!this.#outage.failed(reason)) return;
    this.#log.error(
      `${reason}, so this one does not. Set SIGNING_INSTANCE_ID to a name of its own for each replica.`,
      this.#facts,
    );
  }

  /** Redis holds higher totals for this replica than its audit records. Logged once. */
  exceeded(instanceId: string, { totalSigns, errorCount }: UsageTotals): void {
    this.#warnOnce(
      'exceeded',
      `Redis holds more of the instance ${instanceId} than its audit records say (signatures: ${totalSigns}, errors: ${errorCount}): its audit file was lost, replaced or cut, or the counters in Redis were falsified. ` +
        'What the audit records say is counted.',
    );
  }

  /** A limit was exceeded. Logged once. */
  overflowed(what: keyof typeof OVERFLOWS): void {
    this.#warnOnce(what, OVERFLOWS[what]);
  }

  #warnOnce(what: string, message: string): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    this.#log.warn(message, this.#facts);
  }
}
