import type { AuditHead } from '../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../domain/model/errors.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import { type ReadRecord, readRecord } from '../audit/record/read-record.ts';
import { EMPTY_CHAIN } from '../audit/record/signed-record.ts';
import { listChainSegments, type Segment } from '../audit/segments/segment-names.ts';
import { CompressionError, withSegment } from '../audit/segments/segment-reader.ts';
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
 * with 1 MiB in memory at a time. Records that are missing between segments are skipped and reported;
 * a modified record is an error.
 * @throws AuditUnavailableError when the chain does not contain `position` (the file was cut or
 * replaced), or a file was modified
 */
export async function replayUsage(replay: Replay): Promise<UsageReplayResult> {
  const { auditFile, position, head } = replay;
  assertReaches(auditFile, position, head);
  if (position.seq === head.seq) return { records: 0, missing: [] };
  try {
    return await countSegments(replay);
  } catch (error) {
    if (error instanceof AuditUnavailableError) throw error;
    throw new AuditUnavailableError(
      `Cannot read the records of the audit file ${auditFile} for the usage counters (${systemErrorCode(error)}). Check the disk and the permissions of the audit files.`,
      { cause: error },
    );
  }
}

/** How far records were counted. */
interface Progress {
  reached: AuditHead;
  records: number;
  readonly missing: RecordRange[];
}

async function countSegments(replay: Replay): Promise<UsageReplayResult> {
  const { auditFile, position, head } = replay;
  const progress: Progress = { reached: position, records: 0, missing: [] };
  const segments = (await listChainSegments(auditFile)).filter(({ firstSeq }) => firstSeq <= head.seq);
  const start = segments.findLastIndex(({ firstSeq }) => firstSeq <= position.seq + 1);
  for (const [index, segment] of segments.entries()) {
    // Lines of other programs may follow the records.
    const end = (segments[index + 1]?.firstSeq ?? head.seq + 1) - 1;
    if (index >= start) await countSegment(segment, end, replay, progress);
  }
  const { reached, records, missing } = progress;
  return { records, missing: [...missing, ...listMissing(reached.seq, head.seq + 1)] };
}

/** Records between two, exclusive. */
function listMissing(before: number, after: number): readonly RecordRange[] {
  return after > before + 1 ? [{ from: before + 1, to: after - 1 }] : [];
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

/** @param end number of its last record to count */
async function countSegment(
  segment: Segment,
  end: number,
  { auditFile, position, ledger }: Replay,
  progress: Progress,
): Promise<void> {
  const { path, firstSeq } = segment;
  /** One line per record, so lines up to the last one counted can be skipped. */
  let skipped = Math.max(0, progress.reached.seq - firstSeq);
  let lineNumber = skipped;

  function count(line: string | null): void {
    lineNumber += 1;
    const record = readRecord(line);
    if ('issue' in record) throw alteredError(path, lineNumber, record.issue);
    const { seq, hash } = record;
    const { reached, missing } = progress;
    if (seq === position.seq) {
      if (hash !== position.hash) throw replacedError(auditFile, position);
      return;
    }
    const gap = seq === firstSeq ? listMissing(reached.seq, seq) : [];
    if (gap.length === 0 && !follows(record, reached)) {
      if (reached === position && seq === firstSeq) throw replacedError(auditFile, position);
      throw alteredError(path, lineNumber, `does not follow record ${reached.seq}`);
    }
    missing.push(...gap);
    ledger.count(record);
    progress.reached = { seq, hash };
    progress.records += 1;
  }

  try {
    await withSegment(segment, async (reader) => {
      for await (const { lines } of reader.lines()) {
        for (const line of lines.slice(skipped)) {
          if (progress.reached.seq === end) return;
          count(line);
        }
        skipped = Math.max(0, skipped - lines.length);
      }
    });
  } catch (error) {
    if (error instanceof CompressionError) throw alteredError(path, lineNumber + 1, error.message);
    throw error;
  }
}

function follows({ seq, prevHash }: ReadRecord, head: AuditHead): boolean {
  return seq === head.seq + 1 && prevHash === head.hash;
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
    `${path}, line ${lineNumber}: ${issue}, so the usage counters cannot be restored from it. \`signing-service audit verify ${path}\` reports all issues. ` +
      'Restore the original file. Or, to accept the loss, move the file to another folder and start again: the counters then start after it.',
  );
}
