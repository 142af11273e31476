import type { AuditHead } from '../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../domain/model/errors.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { compareWith } from '../audit/record/chain-verifier.ts';
import { readRecord } from '../audit/record/read-record.ts';
import { EMPTY_CHAIN } from '../audit/record/signed-record.ts';
import { newestFirst, readChain, type Start } from '../audit/segments/chain-reader.ts';
import { statePath } from '../files/state-file.ts';
import type { MemoryUsageLedger } from './memory-usage-ledger.ts';
import type { UsageSnapshot } from './usage-snapshot.ts';

interface UsageSources {
  readonly auditFile: string;
  readonly snapshot: UsageSnapshot | null;
  /** The last record of the chain, which has the snapshot's; nothing may be appended meanwhile. */
  readonly head: AuditHead;
  readonly ledger: MemoryUsageLedger;
  readonly log: ServiceLog;
}

/**
 * Restores the snapshot, and counts the records after it up to `head`, with 1 MiB in memory at a
 * time. Logs which ones are missing between segments. What other programs wrote between records is
 * ignored.
 * @throws AuditUnavailableError for altered records, or others than the snapshot counts; the
 * system's error. The ledger is unusable then
 */
export async function restoreUsage(sources: UsageSources): Promise<void> {
  const { snapshot, head, ledger, log } = sources;
  if (snapshot !== null) ledger.restore(snapshot.state);
  const position = snapshot?.head ?? EMPTY_CHAIN;
  const recordsCounted = position.seq === head.seq ? 0 : await countAfter(position, sources);
  log.info('Usage counters restored.', { snapshot: snapshot?.head.seq ?? null, recordsCounted });
}

async function countAfter(position: AuditHead, { auditFile, head, ledger, log }: UsageSources): Promise<number> {
  let reached = position;
  let counted = 0;
  /** Of the first line that was not counted. Harmless if the chain goes on after it. */
  let error: AuditUnavailableError | null = null;
  const warnOfMissing = (to: number) => {
    const range = { from: reached.seq + 1, to };
    const records = `records ${range.from} to ${to}, which are missing from the audit files`;
    log.warn(`Usage counters do not include ${records}.`, { file: auditFile, ...range });
  };
  for await (const { path, line, record } of readLines(auditFile, position)) {
    if (reached.seq === head.seq) break;
    if ('issue' in record) {
      error ??= alteredError(path, line, record.issue);
      continue;
    }
    if (record.seq <= position.seq) continue;
    const found = compareWith(record, reached);
    if (found === 'follows' || (found === 'gap' && line === 1 && error === null)) {
      if (found === 'gap') warnOfMissing(record.seq - 1);
      ledger.count(record);
      reached = record;
      counted += 1;
      error = null;
    } else if (reached === position && position !== EMPTY_CHAIN) error ??= replacedError(path, position, auditFile);
    else error ??= alteredError(path, line, `does not follow record ${reached.seq}`);
  }
  if (reached.seq === head.seq) return counted;
  if (error !== null) throw error;
  warnOfMissing(head.seq);
  return counted;
}

interface ReadLine {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly record: ReturnType<typeof readRecord>;
}

/** Lines from the segment with the record after the position on. */
async function* readLines(auditFile: string, position: AuditHead): AsyncGenerator<ReadLine> {
  const start = await findStart(auditFile, position);
  for await (const { path, firstSeq, number, lines, issue } of readChain(auditFile, start)) {
    if (issue !== null) yield { path, line: number, record: { issue } };
    for (const [index, { text }] of lines.entries()) {
      const line = number + index;
      // One line per record: those before the position need not be parsed.
      if (firstSeq + line > position.seq) yield { path, line, record: readRecord(text) };
    }
  }
}

/** Null if its segment is missing. */
async function findStart(auditFile: string, { seq }: AuditHead): Promise<Start | null> {
  for await (const segment of newestFirst(auditFile)) if (segment.firstSeq <= seq + 1) return { segment, offset: 0 };
  return null;
}

function replacedError(path: string, { seq }: AuditHead, auditFile: string): AuditUnavailableError {
  const snapshot = statePath(auditFile, 'usage');
  return new AuditUnavailableError(
    `${path} does not continue record ${seq} in ${snapshot}: the audit file was replaced. ` +
      `Restore the original file. Or, to accept the loss, move ${snapshot} to another folder and start again.`,
  );
}

function alteredError(path: string, line: number, issue: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The usage counters cannot be restored from ${path}, line ${line}: ${issue}. \`signing-service audit verify ${path}\` reports all issues. ` +
      'Restore the original file. Or, to accept the loss, move the file to another folder and start again: the counters then start after it.',
  );
}
