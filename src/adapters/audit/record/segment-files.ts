import { type FileHandle, readdir } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { UnsuitableFileError, withRegularFile } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { type ReadRecord, readRecord } from './read-record.ts';
import { MAX_LINE_BYTES } from './record-fields.ts';
import { getSegmentPublicKey } from './segment.ts';

/** A file that begins with a segment record. */
export interface SegmentFile {
  readonly path: string;
  readonly first: ReadRecord;
  /** The key that signs its records, 32 bytes. */
  readonly publicKey: Buffer;
}

const SEQ_DIGITS = 12;
const COMPRESSED = /\.(gz|xz|zst|bz2|lz4|Z)$/;
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EPERM', 'ELOOP']);
const NEWLINE = 0x0a;
/** Never read: no records, and keys must not even be opened. */
const OTHER_FILES = /\.(torn|lock|usage|budgets|replay|tmp|set-aside-[^.]+|key|pub|pem|previous|gz|xz|zst|bz2|lz4|Z)$/;

/**
 * Rotated `audit.jsonl` with records 1 to 4711: `audit.000000000001-000000004711.jsonl`, which
 * sorts by record and matches `audit*.jsonl`.
 */
export function rotatedPath(file: string, firstSeq: number, lastSeq: number): string {
  const { dir, name, ext } = parse(resolve(file));
  return join(dir, `${name}.${digits(firstSeq)}-${digits(lastSeq)}${ext}`);
}

/** The record range in a {@link rotatedPath}, or null. */
export function rotatedRange(
  file: string,
  name: string,
): { readonly name: string; readonly firstSeq: number; readonly lastSeq: number } | null {
  const match = /^\.(\d{12,})-(\d{12,})$/.exec(getInsertion(file, name));
  return match === null ? null : { name, firstSeq: Number(match[1]), lastSeq: Number(match[2]) };
}

/** What a name inserts before the audit file's extension; empty for nothing. */
function getInsertion(file: string, name: string): string {
  const { name: stem, ext } = parse(file);
  return name.startsWith(stem) && name.endsWith(ext) ? name.slice(stem.length, name.length - ext.length) : '';
}

export function isRotatedName(file: string, name: string): boolean {
  return rotatedRange(file, name) !== null;
}

/**
 * Whether a name is the audit file's or a rotated one: by the service
 * (`audit.000000000001-000000004711.jsonl`), logrotate (`audit.jsonl.1`, `audit.jsonl-20261121`,
 * `audit-20261121.jsonl`, `audit-20261121-1763683200.jsonl`) or hand (`audit.jsonl.old`); not
 * another service's `audit-2.jsonl`.
 */
function isSegmentName(file: string, name: string): boolean {
  if (OTHER_FILES.test(name)) return false;
  if (name === file || isRotatedName(file, name) || /^-\d{8,}(-\d+)?$/.test(getInsertion(file, name))) return true;
  return name.startsWith(file) && /^(\.|-\d{8})/.test(name.slice(file.length));
}

/** The name without the ending of a compressed file. */
export function decompressedName(name: string): string {
  return name.replace(COMPRESSED, '');
}

/** Whether a name is a compressed {@link isSegmentName}, as from logrotate. */
export function isCompressedSegmentName(file: string, name: string): boolean {
  const decompressed = decompressedName(name);
  return decompressed !== name && isSegmentName(file, decompressed);
}

/** Whether the service quarantined this file after another program modified it. */
export function isQuarantineName(file: string, name: string): boolean {
  return name.startsWith(`${file}.set-aside-`) && /^[^.]+$/.test(name.slice(file.length + 1));
}

/**
 * Segment names without other services' audit files, which have a lock file: beside `audit`,
 * `audit.jsonl` looks renamed by hand.
 * @param names of all files in the folder
 */
export function segmentNames(file: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => isSegmentName(file, name) && (name === file || !names.includes(`${name}.lock`)));
}

/**
 * {@link segmentNames} compressed by gzip.
 * @param names of all files in the folder
 */
export function gzipSegmentNames(file: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const decompressed = decompressedName(name);
    if (!name.endsWith('.gz') || !isCompressedSegmentName(file, name)) return false;
    return decompressed === file || !names.includes(`${decompressed}.lock`);
  });
}

/**
 * Files beside the audit file, itself included, that begin with a segment record, in order of its
 * number; perhaps of several chains.
 */
export async function findSegments(file: string): Promise<readonly SegmentFile[]> {
  const folder = dirname(resolve(file));
  const candidates = segmentNames(basename(file), await readdir(folder));
  const segments: SegmentFile[] = [];
  // Sequential: there may be more than the limit on open files.
  for (const name of candidates) {
    const segment = await readSegment(join(folder, name));
    if (segment !== null) segments.push(segment);
  }
  return segments.sort((left, right) => left.first.seq - right.first.seq);
}

/**
 * Opens a file as a segment; null when missing, unreadable to this user, or something else.
 * @throws the system's error
 */
export async function readSegment(path: string): Promise<SegmentFile | null> {
  try {
    return await withRegularFile(path, {}, async ({ handle }) => {
      const first = await readFirstRecord(handle);
      const publicKey = first === null ? null : getSegmentPublicKey(first.data);
      return first === null || publicKey === null ? null : { path, first, publicKey };
    });
  } catch (error) {
    // Rotated files may belong to another user: ignored like missing ones.
    if (error instanceof UnsuitableFileError || UNREADABLE.has(systemErrorCode(error))) return null;
    throw error;
  }
}

/** The first record of an open file; null for other than a segment record. */
export async function readFirstRecord(file: FileHandle): Promise<ReadRecord | null> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
  if (end === -1) return null;
  const record = readRecord(buffer.toString('utf8', 0, end));
  return 'issue' in record || record.event !== 'segment' ? null : record;
}

function digits(seq: number): string {
  return String(seq).padStart(SEQ_DIGITS, '0');
}
