import { MAX_LINE_BYTES } from '../../../audit-trail/audit-record.ts';
import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import { publicKeyOf } from '../../../audit-trail/segment.ts';
import { foreignFileFault } from './audit-file-fault.ts';
import type { FileOperations } from './file-operations.ts';
import { readFully } from './full-transfer.ts';

const NEWLINE = 0x0a;

/** An open file of `size` bytes. */
export interface AuditFileCandidate {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
}

/** How an audit file begins. */
export interface FirstRecord {
  readonly record: ReadRecord;
  /** The key that signs the file's checkpoints, 32 bytes. */
  readonly publicKey: Buffer;
}

/**
 * Reads the segment record with which every audit file begins, so that records are never added to a file that was named by mistake. Null for empty files and
 * those without a whole line: what stands in them is for `moveTornTail` to judge.
 * @throws AuditUnavailableError when it begins with something else
 */
export async function readFirstRecord(
  file: AuditFileCandidate,
  operations: Pick<FileOperations, 'read'>,
): Promise<FirstRecord | null> {
  const start = await readFully(file.fd, 0, Math.min(file.size, MAX_LINE_BYTES), operations);
  const end = start.indexOf(NEWLINE);
  if (end === -1 && file.size < MAX_LINE_BYTES) return null;
  const record = readRecord(start.toString('utf8', 0, Math.max(end, 0)));
  if ('fault' in record) throw foreignFileFault(file.path, 'its first line is not an audit record');
  const publicKey = publicKeyOf(record.data);
  if (record.event === 'segment' && publicKey !== null) return { record, publicKey };
  throw foreignFileFault(file.path, 'its first line is not the record with which every audit file begins');
}
