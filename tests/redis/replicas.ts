import { SystemClock } from '../../src/adapters/driven/clock/system-clock.ts';
import { MemoryUsageLedger } from '../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { RedisUsageLedger, type SharingPace } from '../../src/adapters/driven/usage-ledger/redis-usage-ledger.ts';
import { parseRedisUrl } from '../../src/redis/redis-address.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';

/** As in the service, but that it does everything some ten times as often. */
export const QUICK: SharingPace = { everyMs: 20, answerMs: 700, longestPauseMs: 100, leaseMs: 1000, lastMs: 2000 };

/** One replica: its ledger, what it logged, and the counters that its audit records would restore. */
export interface Replica {
  readonly ledger: RedisUsageLedger;
  readonly records: MemoryUsageLedger;
  readonly log: RecordingServiceLog;
}

/** Replicas that a test started, to be stopped after it. */
export class Replicas {
  readonly #started: RedisUsageLedger[] = [];

  /** @param records what its audit records say at its start */
  async start(
    instanceId: string,
    url: string,
    { records = new MemoryUsageLedger(), passwordFile = null as string | null, pace = QUICK } = {},
  ): Promise<Replica> {
    const address = parseRedisUrl(url);
    if (address === null) throw new Error(`${url} is none.`);
    const log = new RecordingServiceLog();
    const parts = { ledger: records, address, passwordFile, instanceId, clock: new SystemClock(), log, pace };
    const ledger = new RedisUsageLedger(parts);
    this.#started.push(ledger);
    await ledger.start();
    return { ledger, records, log };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((ledger) => ledger.stop()));
  }
}

/** Counts so many signatures of an account of platform alpha. */
export function sign({ ledger }: Pick<Replica, 'ledger'>, count: number, accountId = 'main'): void {
  for (let i = 0; i < count; i += 1) ledger.count(sampleAuditEntry({ accountId }));
}

/** What the records of a replica say: what the next process restores from its chain. */
export function restored({ records }: Pick<Replica, 'records'>): MemoryUsageLedger {
  const ledger = new MemoryUsageLedger();
  ledger.restore(records.state());
  return ledger;
}
