import { randomUUID } from 'node:crypto';
import type { UsageTotals } from '../../../domain/model/usage.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { RedisCommand, RedisCommands, RedisReply } from '../../../redis/redis-connection.ts';
import { RedisFault } from '../../../redis/redis-fault.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import {
  accountField,
  countsKey,
  formatSummary,
  formatUsage,
  isAccountField,
  isReplicaName,
  KEPT_MS,
  leaseKey,
  parseSummary,
  parseUsage,
  REPLICAS_KEY,
  SUMMARY_FIELD,
} from './redis-usage-format.ts';
import { MAX_ACCOUNTS, MAX_REPLICAS, type RemoteCounters } from './remote-counters.ts';
import type { SharingReport } from './sharing-report.ts';

/** All accounts are written, and read, again so often, changed or not, milliseconds. */
const REFRESH_MS = 600_000;

/** Accounts in one command: below a millisecond for Redis and for this process. */
const CHUNK = 200;

/** Accounts that Redis gives at a time; it may give more, and an account twice. */
const PAGE = 500;

/** Pause after reading an account, milliseconds: ten times the processor time that it takes. */
const PAUSE_PER_ACCOUNT_MS = 0.05;

/** In place of the summary while the accounts are being written; readers ignore such a hash. */
const INCOMPLETE = 'incomplete';

type AccountIds = readonly [platformId: string, accountId: string];

/** What a {@link RedisUsageSync} works with. */
export interface SyncParts {
  /** Counters of this process. */
  readonly ledger: MemoryUsageLedger;
  readonly remote: RemoteCounters;
  /** Name of this replica. */
  readonly name: string;
  /** Tells this process from others of the same name. */
  readonly token: string;
  /** How long the name is reserved for a process that does not write, milliseconds. */
  readonly leaseMs: number;
  readonly report: SharingReport;
  readonly clock: Clock;
}

/**
 * Writes the counters of this replica to Redis and reads those of the others. All numbers are
 * absolute: writing or reading one twice does no harm, and what Redis has lost is written again.
 */
export class RedisUsageSync {
  readonly #parts: SyncParts;
  /** Accounts that changed since they were last written. */
  readonly #changed = new Map<string, AccountIds>();
  /** The summary that Redis has to hold; null when everything has to be written. */
  #written: string | null = null;
  #writeId = '';
  /** Monotonic milliseconds. */
  #wroteAllAt = 0;
  #readAgainAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  /** The usage of an account changed. */
  markChanged(platformId: string, accountId: string): void {
    this.#changed.set(accountField(platformId, accountId), [platformId, accountId]);
  }

  /**
   * Writes and reads once; not to be called twice at the same time.
   * @returns whether this process holds the lease of its name; without it, it reads only
   * @throws RedisFault; what was not written is written the next time
   */
  async run(connection: RedisCommands): Promise<boolean> {
    const { isHeld, summary, replicas } = await this.#acquireLease(connection);
    if (isHeld) await this.#publish(connection, summary);
    await this.#readOthers(connection, replicas);
    return isHeld;
  }

  /** Lets another process of this name begin at once. Only after a `run` that held the lease. */
  async release(connection: RedisCommands): Promise<void> {
    await connection.send([['DEL', leaseKey(this.#parts.name)]]);
  }

  async #acquireLease(connection: RedisCommands) {
    const { name, token, leaseMs, clock } = this.#parts;
    const lease = leaseKey(name);
    const earliest = String(clock.now() - KEPT_MS);
    const commands: readonly RedisCommand[] = [
      ['SET', lease, token, 'NX', 'PX', String(leaseMs)],
      ['GET', lease],
      ['HGET', countsKey(name), SUMMARY_FIELD],
      ['ZRANGEBYSCORE', REPLICAS_KEY, earliest, '+inf', 'WITHSCORES'],
    ];
    const replies = await connection.ask(commands);
    // A key of another type is of no use to any replica.
    const strange = commands.flatMap(([, key = ''], index) => (isWrongType(replies[index]) ? [key] : []));
    for (const key of strange) await connection.send([['DEL', key]]);
    for (const reply of replies) if (reply instanceof RedisFault) throw reply;
    const [, holder, summary = null, replicas] = replies as readonly RedisReply[];
    return { isHeld: holder === token, summary, replicas: Array.isArray(replicas) ? replicas : [] };
  }

  /** @param held the summary of this replica in Redis */
  async #publish(connection: RedisCommands, held: RedisReply): Promise<void> {
    const { ledger, name, leaseMs, report, clock } = this.#parts;
    const counts = countsKey(name);
    const excess = excessOf(parseSummary(held)?.totals, ledger.totals());
    if (excess !== null) {
      report.exceeded(name, excess);
      await connection.send([['DEL', counts]]);
    }
    if (held === null || excess !== null) await connection.send([['HSET', counts, SUMMARY_FIELD, INCOMPLETE]]);
    const now = clock.monotonic();
    const isWhole = held === null || held !== this.#written || now - this.#wroteAllAt >= REFRESH_MS;
    if (isWhole) this.#writeId = randomUUID();
    const fields = isWhole ? ledger.accounts() : [...this.#changed.values()];
    this.#changed.clear();
    // After a failure half-way, everything is written the next time.
    this.#written = null;
    const renewal: RedisCommand = ['PEXPIRE', leaseKey(name), String(leaseMs)];
    for (const chunk of chunksOf(fields)) {
      const pairs = chunk.flatMap((ids) => [accountField(...ids), formatUsage(ledger.usage(...ids))]);
      await connection.send([['HSET', counts, ...pairs], renewal]);
    }
    const summary = formatSummary({ totals: ledger.totals(), writeId: this.#writeId });
    const [added] = await connection.send([
      ['HSET', counts, SUMMARY_FIELD, summary],
      ['PEXPIRE', counts, String(KEPT_MS)],
      ['ZADD', REPLICAS_KEY, String(clock.now()), name],
      ['PEXPIRE', REPLICAS_KEY, String(KEPT_MS)],
      renewal,
    ]);
    // The field was there before, unless Redis lost the hash meanwhile.
    if (added === 0) this.#written = summary;
    if (isWhole) this.#wroteAllAt = now;
  }

  /** @param scored names of replicas and the times of their last writes, in turns */
  async #readOthers(connection: RedisCommands, scored: readonly RedisReply[]): Promise<void> {
    const { name, remote, report, clock } = this.#parts;
    const writtenAt = new Map<string, number>();
    for (let index = 0; index + 1 < scored.length; index += 2) {
      const replica = scored[index];
      const time = Number(scored[index + 1]);
      if (isReplicaName(replica) && replica !== name && Number.isFinite(time)) writtenAt.set(replica, time);
    }
    if (writtenAt.size > MAX_REPLICAS) report.overflowed('replicas');
    // The order is that of the last write: the newest stay.
    const others = [...writtenAt].slice(-MAX_REPLICAS);
    const names = others.map(([replica]) => replica);
    const replies = await connection.ask(names.map((replica) => ['HGET', countsKey(replica), SUMMARY_FIELD]));
    remote.removeBefore(clock.now() - KEPT_MS);
    for (const [index, [replica, time]] of others.entries()) {
      const reply = replies[index];
      if (reply instanceof RedisFault && !isWrongType(reply)) throw reply;
      const summary = parseSummary(reply);
      if (summary !== null && !remote.takeSummary(replica, summary, time)) report.overflowed('replicas');
    }
    await this.#readAccounts(connection, names);
  }

  async #readAccounts(connection: RedisCommands, replicas: readonly string[]): Promise<void> {
    const { remote, clock } = this.#parts;
    if (clock.monotonic() < this.#readAgainAt) return;
    let read = 0;
    for (const replica of replicas) {
      if (remote.isStale(replica)) read += await this.#readReplica(connection, replica);
    }
    this.#readAgainAt = clock.monotonic() + read * PAUSE_PER_ACCOUNT_MS;
  }

  /** Returns the number of accounts. */
  async #readReplica(connection: RedisCommands, replica: string): Promise<number> {
    const { remote, report } = this.#parts;
    const key = countsKey(replica);
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
    const [summary] = await connection.ask([['HGET', key, SUMMARY_FIELD]]);
    remote.finishReading(replica, parseSummary(summary));
    return read;
  }
}

/** Fields and values of a hash, in turns, by page; none of a key of another type. */
async function* scanHash(connection: RedisCommands, key: string): AsyncGenerator<readonly RedisReply[]> {
  let cursor = '0';
  for (let page = 0; page < MAX_ACCOUNTS / PAGE; page += 1) {
    const [next, fields] = await connection.askForList(['HSCAN', key, cursor, 'COUNT', String(PAGE)]);
    yield Array.isArray(fields) ? fields : [];
    if (typeof next !== 'string' || next === '0') return;
    cursor = next;
  }
}

function* chunksOf<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** By how much totals in Redis exceed those of the ledger; null when they do not. */
function excessOf(held: UsageTotals | undefined, { totalSigns, errorCount }: UsageTotals): UsageTotals | null {
  const signs = Math.max(0, (held?.totalSigns ?? 0) - totalSigns);
  const errors = Math.max(0, (held?.errorCount ?? 0) - errorCount);
  return signs + errors === 0 ? null : { totalSigns: signs, errorCount: errors };
}

function isWrongType(reply: unknown): boolean {
  return reply instanceof RedisFault && reply.code === 'WRONGTYPE';
}
