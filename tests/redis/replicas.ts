import { SystemClock } from '../../src/adapters/node/system-clock.ts';
import { parseRedisUrl } from '../../src/adapters/redis/redis-address.ts';
import { MemoryUsageLedger } from '../../src/adapters/usage/memory-usage-ledger.ts';
import { RedisUsageLedger, type SharingTimings } from '../../src/adapters/usage/redis-usage-ledger.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';

/** The service's timings, about ten times shorter. */
export const QUICK: SharingTimings = {
  intervalMs: 20,
  replyTimeoutMs: 700,
  maxBackoffMs: 100,
  leaseMs: 1000,
  shutdownTimeoutMs: 2000,
};

type Options = ConstructorParameters<typeof RedisUsageLedger>[0];

/** One replica: its ledger, its log, and the counters in its audit records. */
export interface Replica {
  readonly ledger: RedisUsageLedger;
  readonly records: MemoryUsageLedger;
  readonly log: RecordingServiceLog;
}

/** Replicas to stop after the test. */
export class Replicas {
  readonly #started: RedisUsageLedger[] = [];

  /** @param records counters in its audit records at the start */
  async start(
    instanceId: string,
    url: string,
    { records = new MemoryUsageLedger(), ...more }: Partial<Options> & { readonly records?: MemoryUsageLedger } = {},
  ): Promise<Replica> {
    const address = parseRedisUrl(url);
    if (address === null) throw new Error(`${url} is none.`);
    const log = new RecordingServiceLog();
    const given = { address, passwordFile: null, instanceId, clock: new SystemClock(), log, timings: QUICK, ...more };
    const ledger = new RedisUsageLedger({ ledger: records, ...given });
    this.#started.push(ledger);
    await ledger.start();
    return { ledger, records, log };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((ledger) => ledger.stop()));
  }
}

/** Counts signatures of an account of platform alpha. */
export function sign({ ledger }: Pick<Replica, 'ledger'>, count: number, accountId = 'main'): void {
  for (let i = 0; i < count; i += 1) ledger.count(sampleAuditEntry({ accountId }));
}

/** Counters in a replica's records, which its next process restores. */
export function restored({ records }: Pick<Replica, 'records'>): MemoryUsageLedger {
  const ledger = new MemoryUsageLedger();
  ledger.restore(records.state());
  return ledger;
}
