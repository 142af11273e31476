import { open } from 'node:fs/promises';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { readLines } from '../../../audit-trail/file-lines.ts';
import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import type { SegmentFile } from '../../../audit-trail/segment-files.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from '../../../files/system-error-code.ts';
import type { UsageLedger } from '../../../ports/usage-ledger.ts';
import { findLinkedSegments } from './linked-segments.ts';
import { snapshotPath } from './usage-snapshot.ts';

/** Which records are to be counted. */
export interface Replay {
  readonly auditFile: string;
  /** The record behind which counting begins; the empty chain to count from the beginning. */
  readonly position: ChainHead;
  /** The last record to count: when this is called, the last of the chain. */
  readonly head: ChainHead;
  readonly ledger: UsageLedger;
}

/** How a replay went. */
export interface Replayed {
  /** Records that were read, those that count for nothing included. */
  readonly records: number;
  /** Number of the record that should have come first, and of the one that did: those between are in no file beside the audit file. Null when none was missing. */
  readonly missing: { readonly from: number; readonly to: number } | null;
}

/**
 * Counts the records behind `position` up to `head`, in their order, from the audit file and the files that were rotated from it. A mebibyte is in memory at a time.
 * Files that are no longer there are passed over, and told of; a record that is not what the chain says it should be is an error.
 * @throws AuditUnavailableError when the chain does not reach `position` or has another record there: the file was cut or replaced; or when a file on the way was altered
 */
export async function replayUsage(replay: Replay): Promise<Replayed> {
  const { auditFile, position, head } = replay;
  assertReaches(auditFile, position, head);
  if (position.seq === head.seq) return { records: 0, missing: null };
  try {
    return await countFiles(replay);
  } catch (error) {
    if (error instanceof AuditUnavailableError) throw error;
    throw new AuditUnavailableError(
      `The records of the audit file ${auditFile} can not be read for the usage counters (${systemErrorCode(error)}). Check the disk, and the permissions of the files beside it.`,
      { cause: error },
    );
  }
}

async function countFiles(replay: Replay): Promise<Replayed> {
  const { auditFile, position, head } = replay;
  const segments = await findLinkedSegments(auditFile, position.seq, head);
  const first = segments[0]?.first ?? { seq: head.seq + 1, prevHash: head.hash };
  if (first.seq === position.seq + 1 && first.prevHash !== position.hash) throw replacedFault(auditFile, position);
  const start = first.seq > position.seq ? { seq: first.seq - 1, hash: first.prevHash } : position;

  let end = start;
  for (const segment of segments) end = await countSegment(segment, end, replay);
  const missing = start.seq === position.seq ? null : { from: position.seq + 1, to: start.seq };
  return { records: end.seq - start.seq, missing };
}

/** @throws AuditUnavailableError when the chain ends before `position`, or there with another record */
function assertReaches(auditFile: string, position: ChainHead, head: ChainHead): void {
  if (position.seq > head.seq) {
    const found = head.seq === 0 ? 'holds no records' : `ends with record ${head.seq}`;
    throw new AuditUnavailableError(
      `The audit file ${auditFile} ${found}, but ${snapshotPath(auditFile)} knows of record ${position.seq}: the audit file was cut or replaced since. ${remedy(auditFile)}`,
    );
  }
  if (position.seq === head.seq && position.hash !== head.hash) throw replacedFault(auditFile, position);
}

/** Counts what a file holds behind `end`, and returns its own end. */
async function countSegment(
  { path, first }: SegmentFile,
  end: ChainHead,
  { auditFile, position, head, ledger }: Replay,
): Promise<ChainHead> {
  /** Lines stand in the order of their numbers, so that those before the end need not be read. */
  let skipped = Math.max(0, end.seq - first.seq);
  let reached = end;
  let lineNumber = skipped;
  const file = await open(path, 'r');
  try {
    for await (const { lines } of readLines(file, 0, (await file.stat()).size)) {
      for (const line of lines.slice(skipped)) {
        // More records may have been added meanwhile.
        if (reached.seq === head.seq) return reached;
        lineNumber += 1;
        const record = recordOf(line);
        if ('fault' in record) throw alteredFault(path, lineNumber, record.fault);
        if (record.seq === position.seq) {
          if (record.hash !== position.hash) throw replacedFault(auditFile, position);
          continue;
        }
        if (!follows(record, reached)) throw alteredFault(path, lineNumber, `does not follow record ${reached.seq}`);
        ledger.count(record);
        reached = { seq: record.seq, hash: record.hash };
      }
      skipped = Math.max(0, skipped - lines.length);
    }
    return reached;
  } finally {
    await file.close();
  }
}

function recordOf(line: string | null) {
  return line === null ? { fault: 'is not an audit record' } : readRecord(line);
}

function follows({ seq, prevHash }: ReadRecord, head: ChainHead): boolean {
  return seq === head.seq + 1 && prevHash === head.hash;
}

function replacedFault(auditFile: string, { seq }: ChainHead): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${auditFile} has another record ${seq} than ${snapshotPath(auditFile)} knows of: the audit file was replaced since. ${remedy(auditFile)}`,
  );
}

function remedy(auditFile: string): string {
  return `Put the right file back; or, when the loss is known and accepted, move ${snapshotPath(auditFile)} to another folder, then start again.`;
}

function alteredFault(path: string, lineNumber: number, fault: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${path}, line ${lineNumber}: ${fault}, so the usage counters can not be made from it. To see all that is wrong: signing-service audit verify ${path}. ` +
      'Put the right file back; or, when the loss is known and accepted, move it to another folder, then start again: counters begin behind it.',
  );
}
