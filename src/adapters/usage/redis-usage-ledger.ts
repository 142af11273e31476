import { randomUUID } from 'node:crypto';
import { Outage } from '../../domain/flow/outage.ts';
import {
  type AccountIds,
  toAccountName,
  UNUSED,
  type Usage,
  type UsageSharing,
  type UsageTotals,
} from '../../domain/model/account.ts';
import type { Ports } from '../../ports/ports.ts';
import type { UsageSum } from '../../ports/usage-ledger.ts';
import { settleWithin } from '../node/settle-within.ts';
import type { Redis, RedisCommand, RedisError, RedisReply } from '../redis/redis.ts';
import { addTotals, addUsage, MemoryUsageLedger } from './memory-usage-ledger.ts';
import {
  countersKey,
  formatTotals,
  formatUsage,
  isReplicaName,
  parseTotals,
  parseUsage,
  REPLICAS_KEY,
  RETENTION_MS,
  TOTALS_FIELD,
} from './redis-usage-format.ts';

/** Pauses between writes, milliseconds. */
interface Pauses {
  /** While usage changes. */
  readonly busy: number;
  /** While none does, or after another process wrote: finds out what Redis lost. */
  readonly idle: number;
}

const PAUSES: Pauses = { busy: 100, idle: 5000 };

/** Accounts per command: less than a millisecond for Redis and for this process. */
const CHUNK = 200;

/** The replicas with the latest writes are added. */
const MAX_REPLICAS = 200;

/** Timeout of the last write, and expiry of an unfinished one, milliseconds. */
const LAST_WRITE_MS = 1000;
const UNFINISHED_MS = 60_000;

const NONE: UsageTotals = { totalSigns: 0, errorCount: 0 };

const SHARING = { topic: 'usage sharing' };
const SHARED = 'Usage counters are shared.';

interface RedisUsageLedgerOptions extends Pick<Ports, 'clock' | 'log'> {
  readonly link: Pick<Redis, 'send' | 'pauseMs'>;
  /** Its URL for the log, without password. */
  readonly redis: string;
  /** Unique name of this replica. */
  readonly instanceId: string;
  readonly pauses?: Pauses;
}

/**
 * The UsageLedger shared through Redis or Valkey. Each replica counts in memory and writes what
 * changed to its own hash, as absolute numbers: repetition is harmless. Those of others are read
 * when they are shown. Nothing waits for a write (docs/decisions/0013-usage-counters.md).
 */
export class RedisUsageLedger extends MemoryUsageLedger {
  readonly #options: RedisUsageLedgerOptions;
  readonly #pauses: Pauses;
  /** Identifies this process in its hash. */
  readonly #writer = randomUUID();
  readonly #outage: Outage;
  /** Since the last write. */
  readonly #changed = new Map<string, Usage>();
  /** Whether the next change brings the next write forward. */
  #isIdle = false;
  /** The totals field as last written; null: everything has to be written. */
  #written: string | null = null;
  /** The totals field before the first write, which older data of Redis has again. */
  #first: RedisReply = null;
  #others: readonly string[] = [];
  /** As last read. */
  #othersTotals = NONE;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: RedisUsageLedgerOptions) {
    super();
    this.#options = options;
    this.#pauses = options.pauses ?? PAUSES;
    this.#outage = new Outage(options.clock);
    this.#outage.begin(null);
  }

  override get sharing(): UsageSharing {
    const { since: behindSince, reason } = this.#outage;
    const state = behindSince === null ? 'current' : 'behind';
    return { shared: true, state, behindSince, reason, replicas: this.#others.length + 1 };
  }

  protected override onCount(name: string, usage: Usage): void {
    this.#changed.set(name, usage);
    if (this.#isIdle) this.#writeIn(0);
  }

  override async sum(accounts: readonly AccountIds[]): Promise<UsageSum> {
    const { totals, usages } = await super.sum(accounts);
    const fields = [TOTALS_FIELD, ...accounts.map(toAccountName)];
    try {
      const read = await Promise.all(this.#others.map((name) => this.#read(countersKey(name), fields)));
      this.#othersTotals = read.map(([field]) => parseTotals(field)?.totals ?? NONE).reduce(addTotals, NONE);
      const sums = usages.map((usage, index) =>
        read.map((values) => parseUsage(values[index + 1]) ?? UNUSED).reduce(addUsage, usage),
      );
      return { totals: addTotals(totals, this.#othersTotals), usages: sums };
    } catch (error) {
      this.#failed(error);
      if (this.#isIdle) this.#writeIn(this.#options.link.pauseMs);
      return { totals: addTotals(totals, this.#othersTotals), usages };
    }
  }

  /** Null for a missing field, and for all of a key that is no hash. */
  async #read(key: string, fields: readonly string[]): Promise<readonly RedisReply[]> {
    try {
      const [values] = await this.#options.link.send([['HMGET', key, ...fields]]);
      return values as readonly RedisReply[];
    } catch (error) {
      if ((error as RedisError).code === 'WRONGTYPE') return [];
      throw error;
    }
  }

  /** Starts sharing. Does not wait for Redis. */
  override start(): void {
    this.#writeIn(0);
  }

  /** Writes the last counts, within a timeout. The link is closed later. */
  override async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const last = this.#writing.then(() => this.#publish()).catch(() => undefined);
    await settleWithin(LAST_WRITE_MS, last, () => undefined);
  }

  #writeIn(pauseMs: number): void {
    if (this.#isStopped) return;
    this.#isIdle = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#writing = this.#write();
    }, pauseMs).unref();
  }

  async #write(): Promise<void> {
    const { busy, idle } = this.#pauses;
    try {
      const found = await this.#publish();
      if (found === 'lost') return this.#writeIn(0);
      if (found === 'taken') this.#taken();
      else this.#current();
      const isBusy = this.#changed.size > 0;
      this.#writeIn(isBusy && found === 'current' ? busy : idle);
      this.#isIdle = !isBusy && found === 'current';
    } catch (error) {
      this.#failed(error);
      this.#writeIn(this.#options.link.pauseMs);
    }
  }

  /**
   * Writes what changed, or everything: beside the hash, which then takes its place.
   * @returns `lost` if Redis did not have what was written last, `taken` if another process wrote
   * @throws RedisError; everything is written next time
   */
  async #publish(): Promise<'current' | 'lost' | 'taken'> {
    const { link, instanceId, clock } = this.#options;
    const key = countersKey(instanceId);
    const before = this.#written;
    const target = before === null ? `${key}:${this.#writer}` : key;
    const accounts = before === null ? this.state().accounts : [...this.#changed];
    const written = formatTotals({ totals: this.totals(), writer: this.#writer });
    this.#changed.clear();
    this.#written = null;
    const writes: RedisCommand[] = [['HSET', target, TOTALS_FIELD, written]];
    const expiry: RedisCommand = ['PEXPIRE', target, String(UNFINISHED_MS)];
    for (let start = 0; start < accounts.length; start += CHUNK) {
      const chunk = accounts.slice(start, start + CHUNK).flatMap(([name, usage]) => [name, formatUsage(usage)]);
      // Everything in turns: there may be 100,000 accounts.
      if (before === null) await link.send([...writes.splice(0), expiry]);
      writes.push(['HSET', target, ...chunk]);
    }
    if (before === null) await link.send([...writes.splice(0), expiry]);
    const now = clock.now();
    const earliest = String(now - RETENTION_MS);
    const [names, [found] = [], [expected] = []] = (await link.send([
      ['ZREVRANGEBYSCORE', REPLICAS_KEY, '+inf', earliest, 'LIMIT', '0', String(MAX_REPLICAS)],
      ['HMGET', key, TOTALS_FIELD],
      ['HMGET', target, TOTALS_FIELD],
      ...writes,
      ['PEXPIRE', target, String(RETENTION_MS)],
      ...(before === null ? [['RENAME', target, key] as const] : []),
      ['ZADD', REPLICAS_KEY, String(now), instanceId],
      ['PEXPIRE', REPLICAS_KEY, String(RETENTION_MS)],
    ])) as readonly (readonly RedisReply[])[];
    this.#others = (names ?? []).filter(isReplicaName).filter((name) => name !== instanceId);
    const stored = parseTotals(found);
    const isOthers = stored !== null && stored.writer !== this.#writer && found !== this.#first;
    if (isOthers && this.#first !== null) return 'taken';
    if (expected !== (before ?? written)) return 'lost';
    if (isOthers) this.#warnOfLostRecords(stored.totals);
    this.#first ??= found ?? '';
    this.#written = written;
    return 'current';
  }

  #warnOfLostRecords(stored: UsageTotals): void {
    const { instanceId, redis, log } = this.#options;
    const { totalSigns, errorCount } = this.totals();
    const signs = Math.max(0, stored.totalSigns - totalSigns);
    const errors = Math.max(0, stored.errorCount - errorCount);
    if (signs + errors === 0) return;
    log.warn(
      `Redis has higher usage counters for instance ${instanceId} than its audit records (signatures: ${signs}, errors: ${errors}): its audit file was lost, replaced or truncated, or the counters in Redis were falsified. ` +
        'The audit records count.',
      { redis },
    );
  }

  #current(): void {
    const { redis, log } = this.#options;
    const facts = { redis, replicas: this.sharing.replicas };
    const isFirst = this.#outage.since !== null && this.#outage.reason === null;
    this.#outage.end();
    if (!log.recovered(SHARED, facts, SHARING) && isFirst) log.info(SHARED, facts);
  }

  #failed(error: unknown): void {
    // Failures caused by stopping are not reported.
    if (this.#isStopped) return;
    const reason = `Redis: ${(error as Error).message}`;
    this.#outage.begin(reason);
    this.#options.log.warn(
      `Usage counters are not shared at the moment. ${reason}. Signing is unaffected and no counts are lost: they are shared once Redis is available.`,
      { redis: this.#options.redis },
      SHARING,
    );
  }

  #taken(): void {
    const { instanceId, redis, log } = this.#options;
    const reason = `Another running process shares its usage counters under the instance ID ${instanceId}`;
    this.#outage.begin(reason);
    log.error(
      `${reason}, so sums lack those of one of them. Set a unique SIGNING_INSTANCE_ID for each replica.`,
      { redis },
      SHARING,
    );
  }
}
