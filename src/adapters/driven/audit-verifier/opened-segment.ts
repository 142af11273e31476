import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import { publicKeyOf } from '../../../audit-trail/segment.ts';
import type { AuditFault } from '../../../ports/audit-verifier.ts';
import type { GivenFile } from './given-file.ts';

/** A file whose place among the others is known. */
export interface OpenedSegment {
  readonly file: GivenFile;
  /** The record on its first line. */
  readonly first: ReadRecord;
  /** The key that it names, 32 bytes; null when it names none. */
  readonly key: Buffer | null;
}

/** What is wrong with a line that has no end. */
export const UNFINISHED = 'has no end: the file was cut, or the service that wrote it was killed';

/** Reads the first line of each file and puts them in the order of their first records; tells what is wrong where that can't be done. */
export async function readSegments(files: readonly GivenFile[]): Promise<readonly OpenedSegment[] | AuditFault> {
  const segments: OpenedSegment[] = [];
  for (const file of files) {
    const segment = await readSegment(file);
    if ('message' in segment) return segment;
    segments.push(segment);
  }
  return findRepeated(segments) ?? segments.toSorted((left, right) => left.first.seq - right.first.seq);
}

async function readSegment(file: GivenFile): Promise<OpenedSegment | AuditFault> {
  const line = await file.firstLine();
  if (line === undefined && file.size === 0) {
    return { file: file.name, line: null, message: 'is empty: an audit file has at least its segment record' };
  }
  if (line === undefined) return { file: file.name, line: 1, message: UNFINISHED };
  const first = line === null ? { fault: 'is not an audit record' } : readRecord(line);
  if ('fault' in first) return { file: file.name, line: 1, message: first.fault };
  // Its number says nothing of the place of the file.
  if (first.event !== 'segment') return { file: file.name, line: 1, message: 'begins a file and is no segment record' };
  return { file, first, key: publicKeyOf(first.data) };
}

function findRepeated(segments: readonly OpenedSegment[]): AuditFault | null {
  const seen = new Map<string, string>();
  for (const { file, first } of segments) {
    const earlier = seen.get(file.identity);
    if (earlier !== undefined) {
      return { file: file.name, line: null, message: `is the same file as ${earlier}: it was given twice` };
    }
    const twin = seen.get(first.hash);
    if (twin !== undefined) {
      return {
        file: file.name,
        line: 1,
        message: `is record ${first.seq}, with which ${twin} begins, too: one is a copy`,
      };
    }
    seen.set(file.identity, file.name).set(first.hash, file.name);
  }
  return null;
}
