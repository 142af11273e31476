import { WinstonAuditSink } from '../adapters/driven/audit-sink/winston-audit-sink.ts';
import type { MemoryUsageLedger } from '../adapters/driven/usage-ledger/memory-usage-ledger.ts';
import type { RedisUsageLedger } from '../adapters/driven/usage-ledger/redis-usage-ledger.ts';
import { findSnapshot, restoreUsage } from '../adapters/driven/usage-ledger/restore-usage.ts';
import { SnapshotSchedule } from '../adapters/driven/usage-ledger/snapshot-schedule.ts';
import type { UsageSnapshot } from '../adapters/driven/usage-ledger/snapshot-text.ts';
import type { AuditSigningKey } from '../audit-trail/signed-record.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Settings } from './settings.ts';

/** What the audit file is opened with. */
export interface AuditParts {
  readonly settings: Settings;
  readonly key: AuditSigningKey;
  /** The counters of this process: what its records say. */
  readonly ledger: MemoryUsageLedger;
  /** Shares them with other replicas, from when they are restored until the sink is closed; null when they are not shared. */
  readonly shared: RedisUsageLedger | null;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/**
 * Opens the audit file and gives the ledger what its records say. The two belong together: the snapshot of the counters knows how far the records reached, so that a file that was
 * cut while the service was stopped is noticed, and it is written anew whenever a file is begun, and when the sink is closed.
 * @throws AuditUnavailableError that names the file, the setting and what to do
 */
export async function openAuditSink({
  settings,
  key,
  ledger,
  shared,
  clock,
  log,
}: AuditParts): Promise<WinstonAuditSink> {
  const { auditFile, instanceId, auditTimeoutMs, auditRotateBytes, auditRotateHours, auditKeepFiles } = settings;
  let snapshot = null as UsageSnapshot | null;
  const sink = await WinstonAuditSink.open({
    file: auditFile,
    writer: { key, instanceId, clock },
    log,
    usage: shared ?? ledger,
    findReached: async () => {
      snapshot = await findSnapshot(auditFile, log);
      return snapshot === null ? null : { ...snapshot.head, size: snapshot.size, closed: snapshot.closed };
    },
    timeoutMs: auditTimeoutMs,
    rotation: { bytes: auditRotateBytes, hours: auditRotateHours, files: auditKeepFiles },
    onNewFile: () => snapshots.save(),
    onClosed: async (isComplete) => {
      await Promise.all([snapshots.stop(isComplete), shared?.stop()]);
    },
  });
  const snapshots = new SnapshotSchedule({
    auditFile,
    ledger,
    head: () => sink.head,
    size: () => sink.size,
    clock,
    log,
  });
  try {
    await restoreUsage({ auditFile, snapshot, head: sink.head, ledger, log });
    await snapshots.start(snapshot);
    await shared?.start();
    return sink;
  } catch (error) {
    await sink.close();
    throw error;
  }
}
