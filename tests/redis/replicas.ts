import { SystemClock } from '../../src/adapters/node/system-clock.ts';
import type { Redis } from '../../src/adapters/redis/redis.ts';
import { parseRedisUrl } from '../../src/adapters/redis/redis-address.ts';
import type { MemoryUsageLedger } from '../../src/adapters/usage/memory-usage-ledger.ts';
import { RedisUsageLedger } from '../../src/adapters/usage/redis-usage-ledger.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';
import { linkTo } from './link-to.ts';

type Options = ConstructorParameters<typeof RedisUsageLedger>[0];

/** One replica: its ledger and its log. */
export interface Replica {
  readonly ledger: RedisUsageLedger;
  readonly log: RecordingServiceLog;
}

interface ReplicaOptions extends Partial<Options> {
  readonly passwordFile?: string | null;
  /** Counters in its audit records. */
  readonly records?: MemoryUsageLedger;
}

/** Replicas to stop after the test, which write about twenty times as often as the service's. */
export class Replicas {
  readonly #started: { readonly ledger: RedisUsageLedger; readonly link: Redis }[] = [];

  async start(
    instanceId: string,
    url: string,
    { passwordFile = null, records, ...more }: ReplicaOptions = {},
  ): Promise<Replica> {
    const log = new RecordingServiceLog();
    const link = await linkTo(url, { passwordFile, timings: { replyTimeoutMs: 5000, pauseMs: 50 } });
    const redis = parseRedisUrl(url)?.shown ?? '';
    const pauses = { busy: 5, idle: 100 };
    const ledger = new RedisUsageLedger({ link, redis, instanceId, clock: new SystemClock(), log, pauses, ...more });
    this.#started.push({ ledger, link });
    if (records !== undefined) ledger.restore(records.state());
    ledger.start();
    return { ledger, log };
  }

  async stop(): Promise<void> {
    const started = this.#started.splice(0);
    await Promise.all(started.map(({ ledger }) => ledger.stop()));
    for (const { link } of started) link.close();
  }
}

/** Counts signatures of an account of platform alpha. */
export function sign({ ledger }: Pick<Replica, 'ledger'>, count: number, accountId = 'main'): void {
  for (let i = 0; i < count; i += 1) ledger.count(sampleAuditEntry({ accountId }));
}
