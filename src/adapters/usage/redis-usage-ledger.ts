import { randomUUID } from 'node:crypto';
import type { Usage, UsageSharing, UsageTotals } from '../../domain/model/account.ts';
import type { Ports } from '../../ports/ports.ts';
import type { CountedRecord, UsageLedger } from '../../ports/usage-ledger.ts';
import { settleWithin } from '../node/settle-within.ts';
import { readCredentials } from '../redis/redis.ts';
import type { RedisAddress } from '../redis/redis-address.ts';
import {
  connectionError,
  loadRedisClient,
  type RedisClientLibrary,
  RedisConnection,
} from '../redis/redis-connection.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import { RedisUsageSync } from './redis-usage-sync.ts';
import { RemoteCounters } from './remote-counters.ts';
import { SharingReport } from './sharing-report.ts';

/** Intervals and timeouts, milliseconds. */
export interface SharingTimings {
  /** Pause between synchronizations. */
  readonly intervalMs: number;
  /** Timeout of a Redis reply. */
  readonly replyTimeoutMs: number;
  /** Maximum of the exponential back-off. */
  readonly maxBackoffMs: number;
  /** Lease of the replica's name. */
  readonly leaseMs: number;
  /** Timeout of the last synchronization, at shutdown. */
  readonly shutdownTimeoutMs: number;
}

const TIMINGS: SharingTimings = {
  intervalMs: 500,
  replyTimeoutMs: 2000,
  maxBackoffMs: 4000,
  leaseMs: 3000,
  shutdownTimeoutMs: 1000,
};

interface RedisUsageLedgerOptions extends Pick<Ports, 'clock' | 'log'> {
  /** Counters of this process. */
  readonly ledger: MemoryUsageLedger;
  readonly address: RedisAddress;
  /** File with the password; null when in the URL, or none. */
  readonly passwordFile: string | null;
  /** Unique name of this replica. */
  readonly instanceId: string;
  readonly timings?: SharingTimings;
}

/**
 * The UsageLedger shared through Redis or Valkey. Each replica counts in memory, writes absolute
 * numbers to its own hash every half second, and adds the others' when read. Signing never waits
 * for it (docs/decisions/0013-usage-counters.md).
 */
export class RedisUsageLedger implements UsageLedger {
  readonly #options: RedisUsageLedgerOptions;
  readonly #timings: SharingTimings;
  readonly #remote = new RemoteCounters();
  readonly #sync: RedisUsageSync;
  readonly #report: SharingReport;
  #library: RedisClientLibrary | null = null;
  #connection: RedisConnection | null = null;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number;
  /** When another process was first seen with the lease, monotonic milliseconds, or null. */
  #takenSince: number | null = null;
  #holdsLease = false;
  #running: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | null = null;
  /** No more connections may be opened. */
  #isOver = false;

  constructor(options: RedisUsageLedgerOptions) {
    const { ledger, address, instanceId, clock, log } = options;
    this.#options = options;
    this.#timings = options.timings ?? TIMINGS;
    this.#pauseMs = this.#timings.intervalMs;
    this.#report = new SharingReport(address.shown, clock, log);
    this.#sync = new RedisUsageSync({
      ...{ ledger, remote: this.#remote, report: this.#report, clock },
      name: instanceId,
      token: randomUUID(),
      leaseMs: this.#timings.leaseMs,
    });
  }

  get sharing(): UsageSharing {
    const { since: behindSince, reason } = this.#report;
    const state = behindSince === null ? 'current' : 'behind';
    return { shared: true, state, behindSince, reason, replicas: this.#remote.size + 1 };
  }

  count(record: CountedRecord): void {
    const { platformId, accountId } = record;
    if (platformId === null || accountId === null) return;
    const { ledger } = this.#options;
    const before = ledger.usage(platformId, accountId);
    ledger.count(record);
    if (ledger.usage(platformId, accountId) !== before) this.#sync.markChanged(platformId, accountId);
  }

  usage(platformId: string, accountId: string): Usage {
    return this.#remote.addTo(this.#options.ledger.usage(platformId, accountId), platformId, accountId);
  }

  totals(): UsageTotals {
    return this.#remote.addToTotals(this.#options.ledger.totals());
  }

  /**
   * Starts sharing; the counters are restored before. Resolves before Redis is reached, and never
   * rejects because of it.
   */
  async start(): Promise<void> {
    this.#library = await loadRedisClient();
    if (this.#stopped === null) this.#schedule(0);
  }

  /** Writes the last counts within a timeout, and disconnects. Never rejects; idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const last = this.#running.then(() => this.#syncLast());
    await settleWithin(this.#timings.shutdownTimeoutMs, last, () => undefined);
    this.#isOver = true;
    this.#disconnect();
  }

  async #syncLast(): Promise<void> {
    if (this.#library === null) return;
    await this.#syncOnce();
    try {
      if (this.#connection !== null && this.#holdsLease) await this.#sync.release(this.#connection);
    } catch {
      // The lease expires.
    }
  }

  #schedule(pauseMs: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#syncOnce().then(() => {
        if (this.#stopped === null) this.#schedule(this.#pauseMs);
      });
    }, pauseMs).unref();
  }

  async #syncOnce(): Promise<void> {
    const { intervalMs, maxBackoffMs } = this.#timings;
    try {
      const connection = this.#connection ?? (await this.#connect());
      if (this.#isOver) return connection.close();
      this.#connection = connection;
      this.#holdsLease = await this.#sync.run(connection);
      this.#pauseMs = intervalMs;
      this.#reportState();
    } catch (error) {
      this.#disconnect();
      this.#pauseMs = Math.min(this.#pauseMs * 2, maxBackoffMs);
      // Failures caused by stopping are not reported.
      if (this.#stopped === null) this.#report.failed(connectionError(error).message);
    }
  }

  #reportState(): void {
    if (this.#holdsLease) {
      this.#takenSince = null;
      this.#report.current(this.#remote.size + 1);
      return;
    }
    const now = this.#options.clock.monotonic();
    this.#takenSince ??= now;
    // The lease may be that of a killed predecessor, and expire.
    if (now - this.#takenSince <= this.#timings.leaseMs + this.#timings.intervalMs) this.#report.behind();
    else this.#report.taken(this.#options.instanceId);
  }

  async #connect(): Promise<RedisConnection> {
    const { address, passwordFile } = this.#options;
    if (this.#library === null) throw new Error('Not started.');
    const credentials = await readCredentials(address, passwordFile);
    return RedisConnection.open(this.#library, address, credentials, this.#timings.replyTimeoutMs);
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}
