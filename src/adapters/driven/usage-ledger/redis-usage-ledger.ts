import { randomUUID } from 'node:crypto';
import type { Usage, UsageSharing, UsageTotals } from '../../../domain/model/usage.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { CountedRecord, UsageLedger } from '../../../ports/usage-ledger.ts';
import type { RedisAddress } from '../../../redis/redis-address.ts';
import { loadRedisClient, type RedisClientLibrary, RedisConnection } from '../../../redis/redis-connection.ts';
import { connectionFault } from '../../../redis/redis-fault.ts';
import { readCredentials } from '../../../redis/redis-password.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import { OtherReplicas } from './redis/other-replicas.ts';
import { OwnCounters } from './redis/own-counters.ts';
import { SharingReport } from './redis/sharing-report.ts';
import { sumOfTotals } from './redis/usage-arithmetic.ts';
import { UsageExchange } from './redis/usage-exchange.ts';

/** How often counters are exchanged, and how long for what is waited; milliseconds. */
export interface SharingPace {
  /** Between two exchanges. */
  readonly everyMs: number;
  /** For an answer of Redis. */
  readonly answerMs: number;
  /** Longest pause between attempts while it fails; it doubles up to that. */
  readonly longestPauseMs: number;
  /** How long a process that is silent keeps its name. */
  readonly ownerMs: number;
  /** For the last exchange, when the service stops. */
  readonly lastMs: number;
}

const PACE: SharingPace = { everyMs: 500, answerMs: 2000, longestPauseMs: 4000, ownerMs: 3000, lastMs: 1000 };

/** What a {@link RedisUsageLedger} works with. */
export interface RedisUsageLedgerParts {
  /** The counters of this process. */
  readonly ledger: MemoryUsageLedger;
  readonly address: RedisAddress;
  /** File with the password; null when it is in the URL, or there is none. */
  readonly passwordFile: string | null;
  /** Name of this replica; no other may have it. */
  readonly instanceId: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly log: ServiceLog;
  readonly pace?: SharingPace;
}

/**
 * Counters that replicas share through Redis or Valkey. Each counts for itself, in memory, and says so there in its own keys; every half second it tells what changed and reads what
 * the others told. Signing never waits for it: what Redis does not know yet, it is told later, and what it forgot, again (docs/decisions/0013-replicas.md).
 */
export class RedisUsageLedger implements UsageLedger {
  readonly #parts: RedisUsageLedgerParts;
  readonly #pace: SharingPace;
  readonly #own: OwnCounters;
  readonly #others = new OtherReplicas();
  readonly #exchange: UsageExchange;
  readonly #report: SharingReport;
  #library: RedisClientLibrary | null = null;
  #connection: RedisConnection | null = null;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number;
  /** Since when another process has the name, by the monotonic clock; null when none has. */
  #takenSince: number | null = null;
  #ownsName = false;
  #running: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | null = null;
  /** No connection is opened any more. */
  #isOver = false;

  constructor(parts: RedisUsageLedgerParts) {
    const { ledger, address, instanceId, clock, log } = parts;
    this.#parts = parts;
    this.#pace = parts.pace ?? PACE;
    this.#pauseMs = this.#pace.everyMs;
    this.#own = new OwnCounters(ledger);
    this.#report = new SharingReport(address.shown, clock, log);
    this.#exchange = new UsageExchange({
      own: this.#own,
      others: this.#others,
      name: instanceId,
      token: randomUUID(),
      ownerMs: this.#pace.ownerMs,
      onCarried: (totals) => this.#report.carried(instanceId, totals),
      onOverflow: (what) => this.#report.overflowed(what),
      clock,
    });
  }

  get sharing(): UsageSharing {
    const { since, reason } = this.#report;
    const state = since === null ? 'current' : 'behind';
    return { mode: 'shared', state, since, reason, replicas: this.#others.size + 1 };
  }

  count(record: CountedRecord): void {
    this.#own.count(record);
  }

  usage(platformId: string, accountId: string): Usage {
    return this.#others.addTo(this.#own.usage(platformId, accountId), platformId, accountId);
  }

  totals(): UsageTotals {
    return sumOfTotals(this.#own.totals(), this.#others.totals());
  }

  /** Begins to share: the counters of this process are restored by now. Resolves before Redis was asked for anything, and never rejects for its sake. */
  async start(): Promise<void> {
    this.#library = await loadRedisClient();
    if (this.#stopped === null) this.#schedule(0);
  }

  /** Tells Redis what it does not know yet, as far as that is done quickly, and ends the connection. Never rejects; safe to call twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const last = this.#running.then(() => this.#exchangeLast());
    // Not unref'd: a process that stops still has to say so.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#pace.lastMs);
    });
    await Promise.race([last, late]);
    clearTimeout(timer);
    this.#isOver = true;
    this.#disconnect();
  }

  async #exchangeLast(): Promise<void> {
    if (this.#library === null) return;
    await this.#exchangeOnce();
    try {
      if (this.#connection !== null && this.#ownsName) await this.#exchange.release(this.#connection);
    } catch {
      // The name comes free by itself.
    }
  }

  #schedule(pauseMs: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#exchangeOnce().then(() => {
        if (this.#stopped === null) this.#schedule(this.#pauseMs);
      });
    }, pauseMs).unref();
  }

  async #exchangeOnce(): Promise<void> {
    const { everyMs, longestPauseMs } = this.#pace;
    try {
      const connection = this.#connection ?? (await this.#connect());
      if (this.#isOver) return connection.close();
      this.#connection = connection;
      this.#ownsName = await this.#exchange.run(connection);
      this.#pauseMs = everyMs;
      this.#tell();
    } catch (error) {
      this.#disconnect();
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
      // What a stop cut off is no news.
      if (this.#stopped === null) this.#report.failed(connectionFault(error).message);
    }
  }

  #tell(): void {
    if (this.#ownsName) {
      this.#takenSince = null;
      this.#report.current(this.#others.size + 1);
      return;
    }
    const now = this.#parts.clock.monotonic();
    this.#takenSince ??= now;
    // A process that was killed keeps the name for a while: this may be its successor.
    if (now - this.#takenSince <= this.#pace.ownerMs + this.#pace.everyMs) this.#report.behind();
    else this.#report.taken(this.#parts.instanceId);
  }

  async #connect(): Promise<RedisConnection> {
    const { address, passwordFile } = this.#parts;
    if (this.#library === null) throw new Error('Not started.');
    const credentials = await readCredentials(address, passwordFile);
    return RedisConnection.open(this.#library, address, credentials, this.#pace.answerMs);
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}
