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
import { RedisUsageSync } from './redis-usage-sync.ts';
import { RemoteCounters } from './remote-counters.ts';
import { SharingReport } from './sharing-report.ts';

/** Intervals and timeouts, milliseconds. */
export interface SharingPace {
  /** Pause between two synchronizations. */
  readonly everyMs: number;
  /** Timeout of a response of Redis. */
  readonly answerMs: number;
  /** Longest pause between failing attempts; it doubles up to that. */
  readonly longestPauseMs: number;
  /** How long the name of a process that does not write is reserved. */
  readonly leaseMs: number;
  /** Timeout of the last synchronization, when the service stops. */
  readonly lastMs: number;
}

const PACE: SharingPace = { everyMs: 500, answerMs: 2000, longestPauseMs: 4000, leaseMs: 3000, lastMs: 1000 };

/** What a {@link RedisUsageLedger} works with. */
export interface RedisUsageLedgerParts {
  /** The counters of this process. */
  readonly ledger: MemoryUsageLedger;
  readonly address: RedisAddress;
  /** File with the password; null when it is in the URL, or there is none. */
  readonly passwordFile: string | null;
  /** Name of this replica; no other may have it. */
  readonly instanceId: string;
  readonly clock: Clock;
  readonly log: ServiceLog;
  readonly pace?: SharingPace;
}

/**
 * Counters that replicas share through Redis or Valkey. Each replica counts in memory, writes its
 * absolute numbers to its own hash there every half second, and adds those of the others to its
 * readings. Signing never waits for it (docs/decisions/0013-replicas.md).
 */
export class RedisUsageLedger implements UsageLedger {
  readonly #parts: RedisUsageLedgerParts;
  readonly #pace: SharingPace;
  readonly #remote = new RemoteCounters();
  readonly #sync: RedisUsageSync;
  readonly #report: SharingReport;
  #library: RedisClientLibrary | null = null;
  #connection: RedisConnection | null = null;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number;
  /** Since when another process holds the lease, monotonic milliseconds; null when none does. */
  #takenSince: number | null = null;
  #holdsLease = false;
  #running: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | null = null;
  /** No connection is opened any more. */
  #isOver = false;

  constructor(parts: RedisUsageLedgerParts) {
    const { ledger, address, instanceId, clock, log } = parts;
    this.#parts = parts;
    this.#pace = parts.pace ?? PACE;
    this.#pauseMs = this.#pace.everyMs;
    this.#report = new SharingReport(address.shown, clock, log);
    this.#sync = new RedisUsageSync({
      ...{ ledger, remote: this.#remote, report: this.#report, clock },
      name: instanceId,
      token: randomUUID(),
      leaseMs: this.#pace.leaseMs,
    });
  }

  get sharing(): UsageSharing {
    const { since, reason } = this.#report;
    const state = since === null ? 'current' : 'behind';
    return { mode: 'shared', state, since, reason, replicas: this.#remote.size + 1 };
  }

  count(record: CountedRecord): void {
    const { platformId, accountId } = record;
    if (platformId === null || accountId === null) return;
    const { ledger } = this.#parts;
    const before = ledger.usage(platformId, accountId);
    ledger.count(record);
    if (ledger.usage(platformId, accountId) !== before) this.#sync.markChanged(platformId, accountId);
  }

  usage(platformId: string, accountId: string): Usage {
    return this.#remote.addTo(this.#parts.ledger.usage(platformId, accountId), platformId, accountId);
  }

  totals(): UsageTotals {
    return this.#remote.addToTotals(this.#parts.ledger.totals());
  }

  /**
   * Begins to share: the counters of this process are restored by now. Resolves before Redis is
   * reached, and never rejects because of it.
   */
  async start(): Promise<void> {
    this.#library = await loadRedisClient();
    if (this.#stopped === null) this.#schedule(0);
  }

  /**
   * Writes the last counts, if that is done quickly, and disconnects. Never rejects; safe to call
   * twice.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const last = this.#running.then(() => this.#syncLast());
    // Not unref'd: the process has to live until then.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#pace.lastMs);
    });
    await Promise.race([last, late]);
    clearTimeout(timer);
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
    const { everyMs, longestPauseMs } = this.#pace;
    try {
      const connection = this.#connection ?? (await this.#connect());
      if (this.#isOver) return connection.close();
      this.#connection = connection;
      this.#holdsLease = await this.#sync.run(connection);
      this.#pauseMs = everyMs;
      this.#reportState();
    } catch (error) {
      this.#disconnect();
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
      // A failure that the stop caused is not reported.
      if (this.#stopped === null) this.#report.failed(connectionFault(error).message);
    }
  }

  #reportState(): void {
    if (this.#holdsLease) {
      this.#takenSince = null;
      this.#report.current(this.#remote.size + 1);
      return;
    }
    const now = this.#parts.clock.monotonic();
    this.#takenSince ??= now;
    // The lease of a killed process lasts a while: this may be its successor.
    if (now - this.#takenSince <= this.#pace.leaseMs + this.#pace.everyMs) this.#report.behind();
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
