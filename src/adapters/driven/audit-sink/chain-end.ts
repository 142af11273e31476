import { ChainVerifier } from '../../../audit-trail/chain-verifier.ts';
import { CheckpointSchedule } from '../../../audit-trail/checkpoint-schedule.ts';
import { type ReadableFile, readTail } from '../../../audit-trail/file-lines.ts';
import { readRecord } from '../../../audit-trail/read-record.ts';
import type { SegmentFile } from '../../../audit-trail/segment-files.ts';
import { brokenChainFault } from './audit-file-fault.ts';
import type { ChainEnd } from './chain-writer.ts';
import type { FileOperations } from './file-operations.ts';

/** A checkpoint's line has this in it; what else has it is found out by reading it. */
const CHECKPOINT = '"event":"checkpoint"';
const LONG_AGO = '1970-01-01T00:00:00.000Z';

/** The end of a file's chain. */
export interface TailEnd extends ChainEnd {
  /** Records behind the last checkpoint, or of the file where that has none. */
  readonly unsigned: number;
}

/** Verifies the last records of a file, from its last checkpoint on, or all when there is none, and returns how far the chain reaches. */
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
  const { lines, start } = await readTail(file, size, (line) => line.includes(CHECKPOINT));
  const verifier = new ChainVerifier({ head: null, trustedKeys: null, key: segment.publicKey });
  let offset = start;
  for (const line of lines) {
    const record = line === null ? { fault: 'is not an audit record' } : readRecord(line);
    const fault = 'fault' in record ? record.fault : verifier.accept(record, offset === 0);
    if (fault !== null) throw brokenChainFault(segment.path, offset, fault);
    offset += Buffer.byteLength(line ?? '') + 1;
  }
  const { head, schedule, verified } = verifier;
  if (head === null || verified === null) throw brokenChainFault(segment.path, 0, 'is not there');
  const isScheduleKnown = verified.checkpoints > 0 || verified.first.seq === 1;
  return { head, schedule: isScheduleKnown ? schedule : dueSchedule(), unsigned: schedule.uncovered };
}

/** Of a chain whose last checkpoint stands in a file that was not read: the next record comes behind a checkpoint. */
export function dueSchedule(): CheckpointSchedule {
  const schedule = new CheckpointSchedule();
  schedule.count(LONG_AGO);
  return schedule;
}
