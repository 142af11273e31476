import type { AuditHead } from '../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../domain/model/errors.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import { compareWith } from '../audit/record/chain-verifier.ts';
import { readRecord } from '../audit/record/read-record.ts';
import { EMPTY_CHAIN } from '../audit/record/signed-record.ts';
import { newestFirst, readChain, type Start } from '../audit/segments/chain-reader.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import { readSnapshot, snapshotPath, type UsageSnapshot } from './usage-snapshot.ts';

interface UsageSources {
  readonly auditFile: string;
  /** From {@link findSnapshot}. */
  readonly snapshot: UsageSnapshot | null;
  /** The last record of the chain; nothing may be appended meanwhile. */
  readonly head: AuditHead;
  readonly ledger: MemoryUsageLedger;
  readonly log: ServiceLog;
}

/** The snapshot of an audit file; null when missing, or unusable, which is logged. */
export async function findSnapshot(auditFile: string, log: ServiceLog): Promise<UsageSnapshot | null> {
  const snapshot = await readSnapshot(auditFile);
  if (snapshot === null || !('issue' in snapshot)) return snapshot;
  log.warn(`The snapshot of the usage counters ${snapshot.issue}. Recounting from the audit records.`, {
    file: snapshotPath(auditFile),
  });
  return null;
}

/**
 * Restores the snapshot, and counts what followed it up to `head`. Logs missing records.
 * @throws AuditUnavailableError as `replayUsage` does; the ledger is unusable then
 */
export async function restoreUsage({ auditFile, snapshot, head, ledger, log }: UsageSources): Promise<void> {
  if (snapshot !== null) ledger.restore(snapshot.state);
  const position = snapshot?.head ?? EMPTY_CHAIN;
  const { records, missing } = await replayUsage({ auditFile, position, head, ledger });
  for (const range of missing) log.warn(explainMissing(range, snapshot), { file: auditFile, ...range });
  log.info('Usage counters restored.', { snapshot: snapshot?.head.seq ?? null, recordsCounted: records });
}

function explainMissing({ from, to }: RecordRange, snapshot: UsageSnapshot | null): string {
  const where = 'missing from the audit files';
  return snapshot === null && from === 1
    ? `Usage counters start at record ${to + 1}: earlier records are ${where}, and no snapshot of the counters exists.`
    : `Usage counters do not include records ${from} to ${to}, which are ${where}.`;
}

/** Which records to count. */
interface Replay {
  readonly auditFile: string;
  /** The record before the first one to count; the empty chain for all. */
  readonly position: AuditHead;
  /** The last record to count, at present the last of the chain. */
  readonly head: AuditHead;
  readonly ledger: UsageLedger;
}

/** Result of a replay. */
export interface UsageReplayResult {
  /** Records read, whether they count or not. */
  readonly records: number;
  /** Records between those. */
  readonly missing: readonly RecordRange[];
}

interface RecordRange {
  /** Number of the first record. */
  readonly from: number;
  /** Number of the last one. */
  readonly to: number;
}

/**
 * Counts the records after `position` up to `head`, in order, from the segments of the audit file,
 * with 1 MiB in memory at a time. Records that are missing between segments are skipped and
 * reported; a modified record is an error. What other programs wrote between records is ignored.
 * @throws AuditUnavailableError when the chain does not contain `position` (the file was cut or
 * replaced), or a file was modified
 */
export async function replayUsage(replay: Replay): Promise<UsageReplayResult> {
  const { auditFile, position, head } = replay;
  assertReaches(auditFile, position, head);
  if (position.seq === head.seq) return { records: 0, missing: [] };
  try {
    return await countRecords(replay);
  } catch (error) {
    if (error instanceof AuditUnavailableError) throw error;
    throw new AuditUnavailableError(
      `Cannot read the records of the audit file ${auditFile} for the usage counters (${systemErrorCode(error)}). Check the disk and the permissions of the audit files.`,
      { cause: error },
    );
  }
}

async function countRecords({ auditFile, position, head, ledger }: Replay): Promise<UsageReplayResult> {
  const missing: RecordRange[] = [];
  let reached = position;
  let records = 0;
  /** Of the first line that was not counted. Harmless if the chain goes on after it. */
  let error: AuditUnavailableError | null = null;
  for await (const { path, firstSeq, number, lines, issue } of readChain(
    auditFile,
    await findStart(auditFile, position),
  )) {
    if (issue !== null) error ??= alteredError(path, number, issue);
    for (const [index, { text }] of lines.entries()) {
      if (reached.seq === head.seq) return { records, missing };
      const lineNumber = number + index;
      // One line per record: those before the position need not be parsed.
      if (firstSeq + lineNumber <= position.seq) continue;
      const record = readRecord(text);
      if ('issue' in record) {
        error ??= alteredError(path, lineNumber, record.issue);
        continue;
      }
      if (record.seq === position.seq && record.hash !== position.hash) throw replacedError(auditFile, position);
      if (record.seq === position.seq) continue;
      const found = compareWith(record, reached);
      if (found === 'follows' || (found === 'gap' && lineNumber === 1 && error === null)) {
        if (found === 'gap') missing.push({ from: reached.seq + 1, to: record.seq - 1 });
        ledger.count(record);
        reached = record;
        records += 1;
        error = null;
      } else if (lineNumber === 1 && reached === position) error ??= replacedError(auditFile, position);
      else error ??= alteredError(path, lineNumber, `does not follow record ${reached.seq}`);
    }
  }
  if (reached.seq === head.seq) return { records, missing };
  if (error !== null) throw error;
  return { records, missing: [...missing, { from: reached.seq + 1, to: head.seq }] };
}

/** The segment of the record after the position; null if it is missing. */
async function findStart(auditFile: string, { seq }: AuditHead): Promise<Start | null> {
  for await (const segment of newestFirst(auditFile)) if (segment.firstSeq <= seq + 1) return { segment, offset: 0 };
  return null;
}

/**
 * @throws AuditUnavailableError when the chain ends before `position`, or there with another record
 */
function assertReaches(auditFile: string, position: AuditHead, head: AuditHead): void {
  if (position.seq > head.seq) {
    const found = head.seq === 0 ? 'has no records' : `ends with record ${head.seq}`;
    throw new AuditUnavailableError(
      `The audit file ${auditFile} ${found}, but ${snapshotPath(auditFile)} includes record ${position.seq}: the audit file was truncated or replaced. ${formatRemedy(auditFile)}`,
    );
  }
  if (position.seq === head.seq && position.hash !== head.hash) throw replacedError(auditFile, position);
}

function replacedError(auditFile: string, { seq }: AuditHead): AuditUnavailableError {
  return new AuditUnavailableError(
    `Record ${seq} of the audit file ${auditFile} differs from the one in ${snapshotPath(auditFile)}: the audit file was replaced. ${formatRemedy(auditFile)}`,
  );
}

function formatRemedy(auditFile: string): string {
  return `Restore the original file. Or, to accept the loss, move ${snapshotPath(auditFile)} to another folder and start again.`;
}

function alteredError(path: string, lineNumber: number, issue: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The usage counters cannot be restored from ${path}, line ${lineNumber}: ${issue}. \`signing-service audit verify ${path}\` reports all issues. ` +
      'Restore the original file. Or, to accept the loss, move the file to another folder and start again: the counters then start after it.',
  );
}
