import { type ChainHead, EMPTY_CHAIN } from '../../../audit-trail/audit-record.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import { type Replayed, replayUsage } from './replay-usage.ts';
import type { UsageSnapshot } from './snapshot-text.ts';
import { readSnapshot, snapshotPath } from './usage-snapshot.ts';

/** What counters are restored from. */
export interface UsageSources {
  readonly auditFile: string;
  /** As {@link findSnapshot} gave it. */
  readonly snapshot: UsageSnapshot | null;
  /** The last record of the chain. No entry is appended to it meanwhile. */
  readonly head: ChainHead;
  readonly ledger: MemoryUsageLedger;
  readonly log: ServiceLog;
}

/** The snapshot beside an audit file, or null where there is none that can be used; the log is told why. */
export async function findSnapshot(auditFile: string, log: ServiceLog): Promise<UsageSnapshot | null> {
  const snapshot = await readSnapshot(auditFile);
  if (snapshot === null || !('fault' in snapshot)) return snapshot;
  log.warn(`The snapshot of the usage counters ${snapshot.fault}: they are counted anew from the audit records.`, {
    file: snapshotPath(auditFile),
  });
  return null;
}

/**
 * Gives the ledger what the chain up to `head` says: the snapshot, and what followed it. What is missing is told to the log.
 * @throws AuditUnavailableError as `replayUsage` does; the ledger is of no use then
 */
export async function restoreUsage({ auditFile, snapshot, head, ledger, log }: UsageSources): Promise<void> {
  if (snapshot !== null) ledger.restore(snapshot.state);
  const position = snapshot?.head ?? EMPTY_CHAIN;
  const replayed = await replayUsage({ auditFile, position, head, ledger });
  if (replayed.missing !== null) {
    log.warn(explainMissing(replayed.missing, snapshot), { file: auditFile, ...replayed.missing });
  }
  log.info('Usage counters restored.', { snapshot: snapshot?.head.seq ?? null, recordsCounted: replayed.records });
}

function explainMissing({ from, to }: NonNullable<Replayed['missing']>, snapshot: UsageSnapshot | null): string {
  const where = 'in no file beside the audit file that fits its chain';
  return snapshot === null
    ? `Usage counters begin with record ${to + 1}: the records before it are ${where}, and there is no snapshot of the counters.`
    : `Usage counters lack records ${from} to ${to}, which are ${where}.`;
}
