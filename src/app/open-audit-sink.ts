import { CheckpointCopy } from '../adapters/audit/checkpoint/checkpoint-copy.ts';
import { CheckpointEndpoint } from '../adapters/audit/checkpoint/checkpoint-endpoint.ts';
import { CheckpointFile } from '../adapters/audit/checkpoint/checkpoint-file.ts';
import { WinstonAuditSink } from '../adapters/audit/writer/winston-audit-sink.ts';
import { findSnapshot, restoreUsage } from '../adapters/usage/restore-usage.ts';
import { SnapshotSchedule } from '../adapters/usage/snapshot-schedule.ts';
import type { UsageSnapshot } from '../adapters/usage/usage-snapshot.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Adapters } from './adapters.ts';
import type { Settings } from './settings/settings.ts';

type AuditPorts = Pick<Adapters, 'auditKey' | 'ownUsage' | 'sharedUsage' | 'checkpoints' | 'clock' | 'log'>;

/** Second places of checkpoints, from the settings. */
export function createCheckpointCopies(
  { auditCheckpointFile, auditCheckpointUrl }: Settings,
  log: ServiceLog,
): readonly CheckpointCopy[] {
  const targets = [
    ...(auditCheckpointFile === null ? [] : [new CheckpointFile(auditCheckpointFile)]),
    ...(auditCheckpointUrl === null ? [] : [new CheckpointEndpoint(auditCheckpointUrl)]),
  ];
  return targets.map((target) => new CheckpointCopy(target, log));
}

/**
 * Opens the audit file and restores the usage counters from it. The counters' snapshot stores the
 * last record's position, which detects a file truncated between runs; it is saved with each new
 * segment and at the close.
 * @throws AuditUnavailableError naming the file, the setting and the remedy
 */
export async function openAuditSink(
  settings: Settings,
  { auditKey: key, ownUsage: ledger, sharedUsage: shared, checkpoints, clock, log }: AuditPorts,
): Promise<WinstonAuditSink> {
  const { auditFile, instanceId, auditTimeoutMs, auditRotateBytes, auditRotateHours, auditKeepFiles } = settings;
  let snapshot = null as UsageSnapshot | null;
  const sink = await WinstonAuditSink.open({
    file: auditFile,
    writer: { key, instanceId, clock },
    log,
    usage: shared ?? ledger,
    findReached: async () => {
      snapshot = await findSnapshot(auditFile, log);
      return snapshot === null ? null : { ...snapshot.head, closed: snapshot.closed };
    },
    timeoutMs: auditTimeoutMs,
    rotation: { bytes: auditRotateBytes, hours: auditRotateHours, files: auditKeepFiles },
    onNewFile: () => snapshots.save(),
    onCheckpoint: (checkpoint) => {
      for (const copy of checkpoints) copy.offer(checkpoint);
    },
    onClosed: async (isComplete) => {
      await Promise.all([snapshots.stop(isComplete), shared?.stop(), ...checkpoints.map((copy) => copy.close())]);
    },
  });
  const snapshots = new SnapshotSchedule({
    auditFile,
    ledger,
    head: () => sink.head,
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
