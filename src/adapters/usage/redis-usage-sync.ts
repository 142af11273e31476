import { randomUUID } from 'node:crypto';
import type { UsageTotals } from '../../domain/model/account.ts';
import type { Clock } from '../../ports/clock.ts';
import { type RedisCommand, RedisError, type RedisReply } from '../redis/redis.ts';
import type { RedisCommands } from '../redis/redis-connection.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import {
  accountField,
  countersKey,
  formatSummary,
  formatUsage,
  isAccountField,
  isReplicaName,
  leaseKey,
  parseSummary,
  parseUsage,
  REPLICAS_KEY,
  RETENTION_MS,
  SUMMARY_FIELD,
} from './redis-usage-format.ts';
import { MAX_ACCOUNTS, MAX_REPLICAS, type RemoteCounters } from './remote-counters.ts';
import type { SharingReport } from './sharing-report.ts';

/** Interval of complete writes and reads, milliseconds. */
const REFRESH_MS = 600_000;

/** Accounts per command: less than a millisecond for Redis and for this process. */
const CHUNK = 200;

/** Accounts per page; Redis may return more, and duplicates. */
const PAGE = 500;

/** Pause per account read, milliseconds: ten times its processor time. */
const PAUSE_PER_ACCOUNT_MS = 0.05;

/** Summary while accounts are being written; readers ignore such a hash. */
const INCOMPLETE = 'incomplete';

type AccountIds = readonly [platformId: string, accountId: string];

interface SyncOptions {
  /** Counters of this process. */
  readonly ledger: MemoryUsageLedger;
  readonly remote: RemoteCounters;
  /** Name of this replica. */
  readonly name: string;
  /** Distinguishes processes of the same name. */
  readonly token: string;
  /** Lease of the name, milliseconds. */
  readonly leaseMs: number;
  readonly report: SharingReport;
  readonly clock: Clock;
}

/**
 * Writes this replica's counters to Redis and reads the others'. Absolute numbers make repetition
 * harmless; what Redis loses is written again.
 */
export class RedisUsageSync {
  readonly #options: SyncOptions;
  /** Accounts changed since the last write. */
  readonly #changed = new Map<string, AccountIds>();
  /** The summary expected in Redis; null to write everything. */
  #written: string | null = null;
  #writeId = '';
  #wroteAllAt = 0;
  #readAgainAt = Number.NEGATIVE_INFINITY;

  constructor(options: SyncOptions) {
    this.#options = options;
  }

  /** Marks the usage of an account as changed. */
  markChanged(platformId: string, accountId: string): void {
    this.#changed.set(accountField(platformId, accountId), [platformId, accountId]);
  }

  /**
   * Writes and reads once; calls must not overlap.
   * @returns whether this process holds the lease of its name; otherwise it only reads
   * @throws RedisError; the next run writes the rest
   */
  async run(connection: RedisCommands): Promise<boolean> {
    const { holdsLease, summary, replicas } = await this.#acquireLease(connection);
    if (holdsLease) await this.#publish(connection, summary);
    await this.#readOthers(connection, replicas);
    return holdsLease;
  }

  /** Releases the lease after a `run` that held it. */
  async release(connection: RedisCommands): Promise<void> {
    await connection.send([['DEL', leaseKey(this.#options.name)]]);
  }

  async #acquireLease(connection: RedisCommands) {
    const { name, token, leaseMs, clock } = this.#options;
    const lease = leaseKey(name);
    const earliest = String(clock.now() - RETENTION_MS);
    const commands: readonly RedisCommand[] = [
      ['SET', lease, token, 'NX', 'PX', String(leaseMs)],
      ['GET', lease],
      ['HGET', countersKey(name), SUMMARY_FIELD],
      ['ZRANGEBYSCORE', REPLICAS_KEY, earliest, '+inf', 'WITHSCORES'],
    ];
    const replies = await connection.sendSettled(commands);
    // A key of another type is useless to every replica.
    const wrongTypeKeys = commands.flatMap(([, key = ''], index) => (isWrongType(replies[index]) ? [key] : []));
    for (const key of wrongTypeKeys) await connection.send([['DEL', key]]);
    for (const reply of replies) if (reply instanceof RedisError) throw reply;
    const [, holder, summary = null, replicas] = replies as readonly RedisReply[];
    return { holdsLease: holder === token, summary, replicas: Array.isArray(replicas) ? replicas : [] };
  }

  /** @param stored the summary of this replica in Redis */
  async #publish(connection: RedisCommands, stored: RedisReply): Promise<void> {
    const { ledger, name, leaseMs, report, clock } = this.#options;
    const counts = countersKey(name);
    const excess = getExcess(parseSummary(stored)?.totals, ledger.totals());
    if (excess !== null) {
      report.exceeded(name, excess);
      await connection.send([['DEL', counts]]);
    }
    if (stored === null || excess !== null) await connection.send([['HSET', counts, SUMMARY_FIELD, INCOMPLETE]]);
    const now = clock.monotonic();
    const isWhole = stored === null || stored !== this.#written || now - this.#wroteAllAt >= REFRESH_MS;
    if (isWhole) this.#writeId = randomUUID();
    const fields = isWhole ? ledger.accounts() : [...this.#changed.values()];
    this.#changed.clear();
    // A failure below causes a complete write next time.
    this.#written = null;
    const renewal: RedisCommand = ['PEXPIRE', leaseKey(name), String(leaseMs)];
    for (const chunk of toChunks(fields)) {
      const pairs = chunk.flatMap((ids) => [accountField(...ids), formatUsage(ledger.usage(...ids))]);
      await connection.send([['HSET', counts, ...pairs], renewal]);
    }
    const summary = formatSummary({ totals: ledger.totals(), writeId: this.#writeId });
    const [added] = await connection.send([
      ['HSET', counts, SUMMARY_FIELD, summary],
      ['PEXPIRE', counts, String(RETENTION_MS)],
      ['ZADD', REPLICAS_KEY, String(clock.now()), name],
      ['PEXPIRE', REPLICAS_KEY, String(RETENTION_MS)],
      renewal,
    ]);
    // 0: the field existed. Otherwise Redis lost the hash meanwhile.
    if (added === 0) this.#written = summary;
    if (isWhole) this.#wroteAllAt = now;
  }

  /** @param scored replica names alternating with times of their last writes */
  async #readOthers(connection: RedisCommands, scored: readonly RedisReply[]): Promise<void> {
    const { name, remote, report, clock } = this.#options;
    const writtenAt = new Map<string, number>();
    for (let index = 0; index + 1 < scored.length; index += 2) {
      const replica = scored[index];
      const time = Number(scored[index + 1]);
      if (isReplicaName(replica) && replica !== name && Number.isFinite(time)) writtenAt.set(replica, time);
    }
    if (writtenAt.size > MAX_REPLICAS) report.overflowed('replicas');
    // Ordered by last write: keeps the newest.
    const others = [...writtenAt].slice(-MAX_REPLICAS);
    const names = others.map(([replica]) => replica);
    const replies = await connection.sendSettled(names.map((replica) => ['HGET', countersKey(replica), SUMMARY_FIELD]));
    remote.removeBefore(clock.now() - RETENTION_MS);
    for (const [index, [replica, time]] of others.entries()) {
      const reply = replies[index];
      if (reply instanceof RedisError && !isWrongType(reply)) throw reply;
      const summary = parseSummary(reply);
      if (summary !== null && !remote.takeSummary(replica, summary, time)) report.overflowed('replicas');
    }
    await this.#readAccounts(connection, names);
  }

  async #readAccounts(connection: RedisCommands, replicas: readonly string[]): Promise<void> {
    const { remote, clock } = this.#options;
    if (clock.monotonic() < this.#readAgainAt) return;
    let read = 0;
    for (const replica of replicas) {
      if (remote.isStale(replica)) read += await this.#readReplica(connection, replica);
    }
    this.#readAgainAt = clock.monotonic() + read * PAUSE_PER_ACCOUNT_MS;
  }

  /** @returns the number of accounts */
  async #readReplica(connection: RedisCommands, replica: string): Promise<number> {
    const { remote, report } = this.#options;
    const key = countersKey(replica);
    let read = 0;
    for await (const page of scanHash(connection, key)) {
      read += page.length / 2;
      for (let index = 0; index + 1 < page.length; index += 2) {
        const field = page[index];
        const usage = isAccountField(field) ? parseUsage(page[index + 1]) : null;
        if (usage === null) continue;
        if (!remote.takeUsage(replica, String(field), usage)) report.overflowed('accounts');
      }
    }
    // Redis may have lost the hash meanwhile.
    const [summary] = await connection.sendSettled([['HGET', key, SUMMARY_FIELD]]);
    remote.finishReading(replica, parseSummary(summary));
    return read;
  }
}

/** Alternating fields and values of a hash, by page; nothing for a key of another type. */
async function* scanHash(connection: RedisCommands, key: string): AsyncGenerator<readonly RedisReply[]> {
  let cursor = '0';
  for (let page = 0; page < MAX_ACCOUNTS / PAGE; page += 1) {
    const [next, fields] = await connection.sendForList(['HSCAN', key, cursor, 'COUNT', String(PAGE)]);
    yield Array.isArray(fields) ? fields : [];
    if (typeof next !== 'string' || next === '0') return;
    cursor = next;
  }
}

function* toChunks<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** How much totals in Redis exceed the ledger's; null when they do not. */
function getExcess(stored: UsageTotals | undefined, { totalSigns, errorCount }: UsageTotals): UsageTotals | null {
  const signs = Math.max(0, (stored?.totalSigns ?? 0) - totalSigns);
  const errors = Math.max(0, (stored?.errorCount ?? 0) - errorCount);
  return signs + errors === 0 ? null : { totalSigns: signs, errorCount: errors };
}

function isWrongType(reply: unknown): boolean {
  return reply instanceof RedisError && reply.code === 'WRONGTYPE';
}
