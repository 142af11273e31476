import { basename, extname } from 'node:path';
import type { ReadRecord } from '../../../audit-trail/read-record.ts';
import { publicKeyOf } from '../../../audit-trail/segment.ts';
import { rotatedRange } from '../../../audit-trail/segment-files.ts';
import type { AuditFault, AuditNote } from '../../../domain/model/audit-verdict.ts';
import type { GivenFile } from './given-file.ts';

/** A file whose place among the others is known. */
export interface Segment {
  readonly file: GivenFile;
  /** The record on its first line. */
  readonly first: ReadRecord;
  /** The key that it names, 32 bytes; null when it names none. */
  readonly key: Buffer | null;
}

/** Files in the order of their first records, and what has to be said of those that hold none. */
export interface OrderedSegments {
  readonly segments: readonly Segment[];
  readonly notes: readonly AuditNote[];
}

/** Commands that decompress a file and keep it, by its extension. */
const DECOMPRESSION: ReadonlyMap<string, string> = new Map([
  ['.gz', 'gunzip --keep'],
  ['.xz', 'unxz --keep'],
  ['.zst', 'unzstd'],
  ['.bz2', 'bunzip2 --keep'],
  ['.lz4', 'unlz4'],
  ['.Z', 'uncompress -k'],
]);

/** Puts files in the order of their first records; tells what is wrong where that can't be done. Empty ones are passed over as long as another holds records. */
export function orderSegments(files: readonly GivenFile[]): OrderedSegments | AuditFault {
  const segments: Segment[] = [];
  const notes: AuditNote[] = [];
  for (const file of files) {
    const { first, name } = file;
    const command = DECOMPRESSION.get(extname(file.path));
    if (first !== null && 'fault' in first && command !== undefined) {
      const message = `is compressed: decompress it (\`${command}\`), and verify the file that this makes`;
      return { file: name, line: null, message };
    }
    if (first !== null && 'fault' in first) {
      return { file: name, line: first.isWhole ? null : 1, message: first.fault };
    }
    if (first === null) notes.push({ file: name, message: 'is empty: nothing was recorded in it, or it was emptied' });
    else segments.push({ file, first: first.record, key: publicKeyOf(first.record.data) });
  }
  return (
    findEmptied(files, segments.length > 0) ??
    findRepeated(segments) ?? {
      segments: segments.toSorted((left, right) => left.first.seq - right.first.seq),
      notes,
    }
  );
}

/** An empty file that should not be. */
function findEmptied(files: readonly GivenFile[], othersHoldRecords: boolean): AuditFault | null {
  for (const { name, path, first } of files) {
    if (first !== null) continue;
    const range = rangeInName(basename(path));
    if (range !== null) {
      const message = `is empty, and by its name it held records ${range.firstSeq} to ${range.lastSeq}`;
      return { file: name, line: null, message };
    }
    if (othersHoldRecords) continue;
    return { file: name, line: null, message: 'is empty: an audit file has at least its segment record' };
  }
  return null;
}

/** The records that a name says, whichever audit file the service rotated; null when it says none. */
function rangeInName(name: string) {
  return rotatedRange(name.replace(/\.\d{12,}-\d{12,}/, ''), name);
}

function findRepeated(segments: readonly Segment[]): AuditFault | null {
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
