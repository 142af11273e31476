import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { ChainVerifier } from '../../../audit-trail/chain-verifier.ts';
import { type ReadableFile, readTail } from '../../../audit-trail/file-lines.ts';
import { readRecord } from '../../../audit-trail/read-record.ts';
import type { SegmentFile } from '../../../audit-trail/segment-files.ts';
import { brokenChainFault, continuedFault, otherKeyFault } from './audit-file-fault.ts';
import type { FileOperations } from './file-operations.ts';

/** How the line of a checkpoint begins. */
const CHECKPOINT = /^\{"seq":\d+,"time":"[^"]*","event":"checkpoint"/;

/** A record that is known to have been written, from what lies beside the audit file. */
export interface ReachedRecord extends ChainHead {
  /** Whether the service stopped in order with it, so that nothing followed. */
  readonly closed: boolean;
}

/** Numbers of records that follow each other. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
}

/** The end of a file's chain. */
export interface TailEnd {
  /** The last checkpoint; null where the file has none. */
  readonly head: ChainHead | null;
  /** Offset behind it, bytes; 0 where the file has none. */
  readonly size: number;
  /** Whole records behind it, none of which was acknowledged; null where there are none. */
  readonly unsigned: RecordRange | null;
}

/**
 * Verifies the last records of a file, from its last checkpoint on, or all of them when there is
 * none, and returns how far the chain reaches.
 * @throws AuditUnavailableError when the checkpoint is forged, or a record does not follow the one
 * before it
 */
export async function verifyTail(
  segment: Pick<SegmentFile, 'path' | 'publicKey'>,
  fd: number,
  size: number,
  operations: Pick<FileOperations, 'read'>,
): Promise<TailEnd> {
  const file: ReadableFile = {
    read: async (buffer, offset, length, position) => ({
      bytesRead: await operations.read(fd, buffer.subarray(offset, offset + length), position),
    }),
  };
  const { lines, start } = await readTail(file, size, (line) => CHECKPOINT.test(line));
  const verifier = new ChainVerifier({ head: null, trustedKeys: null, key: segment.publicKey });
  let offset = start;
  let signed: Pick<TailEnd, 'head' | 'size'> = { head: null, size: 0 };
  for (const line of lines) {
    const record = line === null ? { fault: 'is not an audit record' } : readRecord(line);
    const fault = 'fault' in record ? record.fault : verifier.accept(record, offset === 0);
    if (fault !== null) throw brokenChainFault(segment.path, offset, fault);
    offset += Buffer.byteLength(line ?? '') + 1;
    if (verifier.unsigned === 0) signed = { head: verifier.head, size: offset };
  }
  const last = verifier.head?.seq ?? 0;
  const unsigned = verifier.unsigned === 0 ? null : { first: last - verifier.unsigned + 1, last };
  return { ...signed, unsigned };
}

/**
 * Behind the record with which the service stopped in order there is nothing but what its own key
 * signed.
 * @param auditFile path of the audit file, which may be missing, and this one rotated from it
 * @param bytes length of what stands behind the last checkpoint, an unfinished line with it
 * @param ownKey the service's audit public key, 32 bytes
 * @throws AuditUnavailableError when another program added records
 */
export function assertNotContinued(
  auditFile: string,
  { path, publicKey }: Pick<SegmentFile, 'path' | 'publicKey'>,
  { head, unsigned }: TailEnd,
  bytes: number,
  reached: ReachedRecord | null,
  ownKey: Uint8Array,
): void {
  if (reached === null || !reached.closed) return;
  if (bytes > 0) throw continuedFault(path, auditFile, reached.seq, unsigned);
  if (head !== null && head.seq > reached.seq && !publicKey.equals(ownKey))
    throw otherKeyFault(path, auditFile, reached.seq);
}
