import { basename } from 'node:path';
import { readRecord } from '../audit/record/read-record.ts';
import { getSegmentPublicKey } from '../audit/record/segment.ts';
import { listSegments } from '../audit/segments/segment-names.ts';
import { withSegment } from '../audit/segments/segment-reader.ts';

/** A public key and a segment that names it. */
export interface SegmentKey {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** Path of the first segment that names it. */
  readonly segment: string;
}

/**
 * Public keys that the segments of an audit file name; unverified, like the segments.
 * @throws the system's error; CompressionError for a damaged segment
 */
export async function listSegmentKeys(auditFile: string): Promise<readonly SegmentKey[]> {
  const keys = new Map<string, SegmentKey>();
  for (const segment of await listSegments(auditFile)) {
    const line = await withSegment(segment, (reader) => reader.firstLine());
    const record = readRecord(line?.text ?? null);
    const publicKey = 'issue' in record ? null : getSegmentPublicKey(record.data);
    const id = publicKey?.toString('hex');
    if (publicKey && id && !keys.has(id)) keys.set(id, { publicKey, segment: basename(segment.path) });
  }
  return [...keys.values()];
}
