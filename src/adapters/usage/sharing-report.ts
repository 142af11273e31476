import { Outage } from '../../domain/flow/outage.ts';
import type { UsageTotals } from '../../domain/model/account.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { MAX_ACCOUNTS, MAX_REPLICAS } from './remote-counters.ts';

const SHARING = { topic: 'usage sharing' };
const SHARED = 'Usage counters are shared.';

const OVERFLOWS = {
  replicas: `Redis has counters of more than ${MAX_REPLICAS} replicas: those beyond the limit are not included. Give replicas permanent IDs (SIGNING_INSTANCE_ID).`,
  accounts: `Other replicas used more than ${MAX_ACCOUNTS} accounts in total: usage beyond the limit is included in the totals only, not per account.`,
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
    this.#outage.begin(null);
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
    const facts = { ...this.#facts, replicas };
    this.#outage.end();
    const isLogged = this.#log.recovered(SHARED, facts, SHARING);
    if (!isLogged && !this.#wasEverCurrent) this.#log.info(SHARED, facts);
    this.#wasEverCurrent = true;
  }

  /** Behind without a known reason. */
  behind(): void {
    this.#outage.begin(null);
  }

  /** @param reason message of a RedisError */
  failed(reason: string): void {
    this.#outage.begin(`Redis: ${reason}`);
    this.#log.warn(
      `Usage counters are not shared at the moment. Redis: ${reason}. Signing is unaffected and no counts are lost: they are shared once Redis is available.`,
      this.#facts,
      SHARING,
    );
  }

  /** Another process holds the lease of this name. */
  taken(instanceId: string): void {
    const reason = `Another running process shares its usage counters under the instance ID ${instanceId}`;
    this.#outage.begin(reason);
    this.#log.error(
      `${reason}, so this process does not share its own. Set a unique SIGNING_INSTANCE_ID for each replica.`,
      this.#facts,
      SHARING,
    );
  }

  /** Redis holds higher totals for this replica than its audit records. Logged once. */
  exceeded(instanceId: string, { totalSigns, errorCount }: UsageTotals): void {
    this.#warnOnce(
      'exceeded',
      `Redis has higher usage counters for instance ${instanceId} than its audit records (signatures: ${totalSigns}, errors: ${errorCount}): its audit file was lost, replaced or truncated, or the counters in Redis were falsified. ` +
        'The audit records count.',
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
