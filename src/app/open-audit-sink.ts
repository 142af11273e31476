import { CheckpointCopy } from '../adapters/audit/checkpoint/checkpoint-copy.ts';
import { CheckpointEndpoint } from '../adapters/audit/checkpoint/checkpoint-endpoint.ts';
import { CheckpointFile } from '../adapters/audit/checkpoint/checkpoint-file.ts';
import { openError } from '../adapters/audit/writer/audit-errors.ts';
import { WinstonAuditSink } from '../adapters/audit/writer/winston-audit-sink.ts';
import { statePath } from '../adapters/files/state-file.ts';
import { restoreUsage } from '../adapters/usage/restore-usage.ts';
import { readSnapshot, SnapshotWriter, type UsageSnapshot } from '../adapters/usage/usage-snapshot.ts';
import { AuditUnavailableError } from '../domain/model/errors.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Adapters } from './adapters.ts';
import type { Settings } from './settings/settings.ts';

type AuditPorts = Pick<Adapters, 'auditKey' | 'usage' | 'checkpoints' | 'clock' | 'log'>;

/** Second places of checkpoints, from the settings. */
export function createCheckpointCopies(
  { auditCheckpointFile, auditCheckpointUrl }: Settings,
  log: ServiceLog,
): readonly CheckpointCopy[] {
  const targets = [
    ...(auditCheckpointFile === null ? [] : [new CheckpointFile(auditCheckpointFile)]),
    ...(auditCheckpointUrl === null ? [] : [new CheckpointEndpoint(new URL(auditCheckpointUrl))]),
  ];
  return targets.map((target) => new CheckpointCopy(target, log));
}

/**
 * Opens the audit file and restores the usage counters from it. The counters' snapshot stores the
 * last record's position, which detects a file truncated between runs; it is saved at the start,
 * with each segment and at the close.
 * @throws AuditUnavailableError naming the file, the setting and the remedy
 */
export async function openAuditSink(
  settings: Settings,
  { auditKey: key, usage, checkpoints, clock, log }: AuditPorts,
): Promise<WinstonAuditSink> {
  const { auditFile, instanceId, auditTimeoutMs, auditRotateBytes, auditRotateHours, auditKeepFiles } = settings;
  let snapshot = null as UsageSnapshot | null;
  const snapshots = new SnapshotWriter({ auditFile, ledger: usage, head: () => sink.head, clock, log });
  /** Until then, the counters lag behind the records. */
  let isRestored = false;
  const sink = await WinstonAuditSink.open({
    file: auditFile,
    writer: { key, instanceId, clock },
    log,
    usage,
    findReached: async () => {
      snapshot = await readSnapshot(auditFile, log);
      return snapshot === null ? null : { ...snapshot.head, closed: snapshot.closed };
    },
    timeoutMs: auditTimeoutMs,
    rotation: { bytes: auditRotateBytes, hours: auditRotateHours, files: auditKeepFiles },
    onNewFile: () => snapshots.save(),
    onCheckpoint: (checkpoint) => {
      if (isRestored) snapshots.saveIfDue();
      for (const copy of checkpoints) copy.offer(checkpoint);
    },
    onClosed: async (isComplete) => {
      const last = isRestored ? [snapshots.save(isComplete), usage.stop()] : [];
      await Promise.all([...last, ...checkpoints.map((copy) => copy.close())]);
    },
  });
  try {
    await restoreUsage({ auditFile, snapshot, head: sink.head, ledger: usage, log });
    // One that ends the chain must not remain with a chain that continues.
    if (!(await snapshots.save())) throw staleSnapshotError(auditFile);
    isRestored = true;
    usage.start();
    return sink;
  } catch (error) {
    await sink.close();
    throw openError(auditFile, error);
  }
}

function staleSnapshotError(auditFile: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `Cannot write ${statePath(auditFile, 'usage')}. Give the service user write access to it and its folder, free disk space, or move the file to another folder: ` +
      'the counters are then recounted.',
  );
}
