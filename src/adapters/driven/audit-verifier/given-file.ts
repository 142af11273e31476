import { NOT_A_RECORD, type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import { OpenAuditFile } from './open-audit-file.ts';
import { shownPath } from './shown-path.ts';

/** What the first line of a file is. */
export type FirstLine =
  /** There is none: the file is empty. */
  | null
  | { readonly record: ReadRecord }
  /** What is wrong with it; of a file that seems to be no audit file, with the whole. */
  | { readonly fault: string; readonly isWhole?: boolean };

/** A file as it was when it was looked at first. It is not open: there may be more of them than files may be open. */
export interface GivenFile {
  readonly path: string;
  /** Path as it is shown. */
  readonly name: string;
  /** Names the file itself: device and inode. */
  readonly identity: string;
  /** Bytes that are read of it. */
  readonly size: number;
  readonly first: FirstLine;
}

/** What is wrong with a line that has no end. */
export const UNFINISHED = 'has no end: the file was cut, or the service that wrote it was killed';

const NO_AUDIT_FILE =
  'is no audit file, or its first line was spoilt: if the service did not write it, move it to another folder';

/**
 * Looks at a file and its first line.
 * @param patienceMs how long the end of that line is waited for; an empty file is not waited for
 * @param wasEmpty whether it was when it was looked at before: then no more than its first line is read
 * @throws OperatorError when it can't be opened or is no regular file
 */
export async function lookAt(path: string, patienceMs: number, wasEmpty = false): Promise<GivenFile> {
  const file = await OpenAuditFile.open(path, patienceMs);
  try {
    const isEmpty = file.size === 0;
    if (wasEmpty) await file.readOnlyTo(0);
    const first = isEmpty ? null : readFirst(await file.firstLine());
    return { path, name: shownPath(path), identity: file.identity, size: file.size, first };
  } finally {
    await file.close();
  }
}

/** The same file, where it was found under a name by which it need not be an audit file. */
export function asFound(file: GivenFile): GivenFile {
  const { first } = file;
  if (first === null || 'record' in first) return file;
  if (first.fault !== UNFINISHED && first.fault !== NOT_A_RECORD.fault) return file;
  return { ...file, first: { fault: NO_AUDIT_FILE, isWhole: true } };
}

function readFirst(line: string | null | undefined): FirstLine {
  if (line === undefined) return { fault: UNFINISHED };
  const record = line === null ? NOT_A_RECORD : readRecord(line);
  if ('fault' in record) return record;
  // Its number says nothing of the place of the file.
  return record.event === 'segment' ? { record } : { fault: 'begins a file and is no segment record' };
}
