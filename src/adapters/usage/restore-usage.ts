import type { AuditHead } from '../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../domain/model/errors.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import { readLines, readTail } from '../audit/record/file-lines.ts';
import { type ReadRecord, readRecord } from '../audit/record/read-record.ts';
import { findSegments, type SegmentFile } from '../audit/record/segment-files.ts';
import { EMPTY_CHAIN } from '../audit/record/signed-record.ts';
import { withRegularFile } from '../files/open-regular-file.ts';
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
  const replayed = await replayUsage({ auditFile, position, head, ledger });
  if (replayed.missing !== null) {
    log.warn(explainMissing(replayed.missing, snapshot), { file: auditFile, ...replayed.missing });
  }
  log.info('Usage counters restored.', { snapshot: snapshot?.head.seq ?? null, recordsCounted: replayed.records });
}

function explainMissing(
  { from, to }: NonNullable<UsageReplayResult['missing']>,
  snapshot: UsageSnapshot | null,
): string {
  const where = 'missing from the rotated audit files';
  return snapshot === null
    ? `Usage counters start at record ${to + 1}: earlier records are ${where}, and no snapshot of the counters exists.`
    : `Usage counters do not include records ${from} to ${to}, which are ${where}.`;
}

/**
 * The segments with records after `after` to `head`, each continuing the previous, oldest
 * first; fewer when one is missing. Reads only first and last records.
 */
async function findLinkedSegments(auditFile: string, after: number, head: AuditHead): Promise<readonly SegmentFile[]> {
  const candidates = (await findSegments(auditFile)).toReversed();
  const linked: SegmentFile[] = [];
  let end = head;
  while (end.seq > after && end.hash !== null) {
    const segment = await findEndingWith(candidates, end);
    if (segment === null) return linked;
    linked.unshift(segment);
    end = { seq: segment.first.seq - 1, hash: segment.first.prevHash };
  }
  return linked;
}

/** Truncated copies and files of other chains may be in the folder. */
async function findEndingWith(segments: readonly SegmentFile[], end: AuditHead): Promise<SegmentFile | null> {
  for (const segment of segments) {
    if (segment.first.seq > end.seq) continue;
    const last = await readLastRecord(segment.path);
    if (last?.seq === end.seq && last.hash === end.hash) return segment;
  }
  return null;
}

function readLastRecord(path: string): Promise<ReadRecord | null> {
  return withRegularFile(path, {}, async ({ handle, stats }) => {
    const { lines } = await readTail(handle, Number(stats.size), () => true);
    const record = readRecord(lines.at(-1) ?? '');
    return 'issue' in record ? null : record;
  });
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
  /** Missing record numbers, `from` to `to`; null for none. */
  readonly missing: { readonly from: number; readonly to: number } | null;
}

/**
 * Counts the records after `position` up to `head`, in order, from the audit file and its rotated
 * files, with 1 MiB in memory at a time. Missing files are skipped and reported; a modified record
 * is an error.
 * @throws AuditUnavailableError when the chain does not contain `position` (the file was cut or
 * replaced), or a file was modified
 */
export async function replayUsage(replay: Replay): Promise<UsageReplayResult> {
  const { auditFile, position, head } = replay;
  assertReaches(auditFile, position, head);
  if (position.seq === head.seq) return { records: 0, missing: null };
  try {
    return await countFiles(replay);
  } catch (error) {
    if (error instanceof AuditUnavailableError) throw error;
    throw new AuditUnavailableError(
      `Cannot read the records of the audit file ${auditFile} for the usage counters (${systemErrorCode(error)}). Check the disk and the permissions of the audit files.`,
      { cause: error },
    );
  }
}

async function countFiles(replay: Replay): Promise<UsageReplayResult> {
  const { auditFile, position, head } = replay;
  const segments = await findLinkedSegments(auditFile, position.seq, head);
  const first = segments[0]?.first ?? { seq: head.seq + 1, prevHash: head.hash };
  if (first.seq === position.seq + 1 && first.prevHash !== position.hash) throw replacedError(auditFile, position);
  const start = first.seq > position.seq ? { seq: first.seq - 1, hash: first.prevHash } : position;

  let end = start;
  for (const segment of segments) end = await countSegment(segment, end, replay);
  const missing = start.seq === position.seq ? null : { from: position.seq + 1, to: start.seq };
  return { records: end.seq - start.seq, missing };
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

/** Counts the records of a file after `end`, and returns its end. */
async function countSegment(
  { path, first }: SegmentFile,
  end: AuditHead,
  { auditFile, position, head, ledger }: Replay,
): Promise<AuditHead> {
  /** One line per record, so lines up to `end` can be skipped. */
  let skipped = Math.max(0, end.seq - first.seq);
  let reached = end;
  let lineNumber = skipped;
  return withRegularFile(path, {}, async ({ handle, stats }) => {
    for await (const { lines } of readLines(handle, 0, Number(stats.size))) {
      for (const line of lines.slice(skipped)) {
        // Records may have been appended since.
        if (reached.seq === head.seq) return reached;
        lineNumber += 1;
        const record = readRecord(line);
        if ('issue' in record) throw alteredError(path, lineNumber, record.issue);
        if (record.seq === position.seq) {
          if (record.hash !== position.hash) throw replacedError(auditFile, position);
          continue;
        }
        if (!follows(record, reached)) throw alteredError(path, lineNumber, `does not follow record ${reached.seq}`);
        ledger.count(record);
        reached = { seq: record.seq, hash: record.hash };
      }
      skipped = Math.max(0, skipped - lines.length);
    }
    return reached;
  });
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
