import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { MAX_LINE_BYTES } from './audit-record.ts';
import { type ReadRecord, readRecord } from './read-record.ts';
import { publicKeyOf } from './segment.ts';

/** A file that begins with a segment record. */
export interface SegmentFile {
  readonly path: string;
  /** Its first record. */
  readonly first: ReadRecord;
  /** The key that signs its records, 32 bytes. */
  readonly publicKey: Buffer;
}

const SEQ_DIGITS = 12;
const COMPRESSED = /\.(gz|xz|zst|bz2|lz4|Z)$/;
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EPERM', 'ELOOP']);
const NEWLINE = 0x0a;
/** Beside the audit file, but nothing that can be read as records: torn ones, what another program left, compressed files; and keys, which nothing but what opens them may read. */
const OTHER_FILES = /\.(torn|lock|usage|tmp|set-aside-[^.]+|key|pub|pem|previous|gz|xz|zst|bz2|lz4|Z)$/;

/**
 * Where a file of the chain goes when the next one is begun: `audit.jsonl` with records 1 to 4711 becomes `audit.000000000001-000000004711.jsonl`, so that names sort as the records do and
 * `audit*.jsonl` names them all.
 */
export function rotatedPath(file: string, firstSeq: number, lastSeq: number): string {
  const { dir, name, ext } = parse(resolve(file));
  return join(dir, `${name}.${digits(firstSeq)}-${digits(lastSeq)}${ext}`);
}

/** The records that are on a file with a name that {@link rotatedPath} gives; null for another name. */
export function rotatedRange(
  file: string,
  name: string,
): { readonly name: string; readonly firstSeq: number; readonly lastSeq: number } | null {
  const match = /^\.(\d{12,})-(\d{12,})$/.exec(insertIn(file, name));
  return match === null ? null : { name, firstSeq: Number(match[1]), lastSeq: Number(match[2]) };
}

/** What a name has more than that of the audit file, before its extension; empty where nothing. */
function insertIn(file: string, name: string): string {
  const { name: stem, ext } = parse(file);
  return name.startsWith(stem) && name.endsWith(ext) ? name.slice(stem.length, name.length - ext.length) : '';
}

/** Whether this is a name that {@link rotatedPath} gives. */
export function isRotatedName(file: string, name: string): boolean {
  return rotatedRange(file, name) !== null;
}

/**
 * Whether a file of this name is the audit file or was rotated from it: by the service
 * (`audit.000000000001-000000004711.jsonl`), by logrotate (`audit.jsonl.1`, `audit.jsonl-20261121`,
 * `audit-20261121.jsonl`, `audit-20261121-1763683200.jsonl`) or by hand (`audit.jsonl.old`). The
 * audit file of another service beside it (`audit-2.jsonl`) is neither.
 */
export function isSegmentName(file: string, name: string): boolean {
  if (OTHER_FILES.test(name)) return false;
  if (name === file || isRotatedName(file, name) || /^-\d{8,}(-\d+)?$/.test(insertIn(file, name))) return true;
  return name.startsWith(file) && /^(\.|-\d{8})/.test(name.slice(file.length));
}

/**
 * Whether a file of this name is one that {@link isSegmentName} would take, compressed, as
 * logrotate does it.
 */
export function isCompressedSegmentName(file: string, name: string): boolean {
  const decompressed = name.replace(COMPRESSED, '');
  return decompressed !== name && isSegmentName(file, decompressed);
}

/** Whether the service set this file aside, because another program had written or replaced it. */
export function isSetAsideName(file: string, name: string): boolean {
  return name.startsWith(`${file}.set-aside-`) && /^[^.]+$/.test(name.slice(file.length + 1));
}

/**
 * The names that {@link isSegmentName} takes, but for audit files of other services, which have
 * lock files of their own: beside `audit`, `audit.jsonl` reads like a file that was moved by hand.
 * @param file name of the audit file
 * @param names of all files in its folder
 */
export function segmentNames(file: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => isSegmentName(file, name) && (name === file || !names.includes(`${name}.lock`)));
}

/**
 * The files beside the audit file, itself included, that begin with a segment record, by the number of that record: those that the service rotated, and those that
 * another program renamed (`audit.jsonl.1`). They may belong to more than one chain.
 */
export async function findSegments(file: string): Promise<readonly SegmentFile[]> {
  const folder = dirname(resolve(file));
  const candidates = segmentNames(basename(file), await readdir(folder));
  const segments: SegmentFile[] = [];
  // One after the other: there may be more of them than files may be open.
  for (const name of candidates) {
    const segment = await readSegment(join(folder, name));
    if (segment !== null) segments.push(segment);
  }
  return segments.sort((left, right) => left.first.seq - right.first.seq);
}

/**
 * The file at this path as a segment; null when there is none that this user can read, or when it does not begin with a segment record.
 * @throws the error of the operating system when it can't be read
 */
export async function readSegment(path: string): Promise<SegmentFile | null> {
  const handle = await openIfThere(path);
  if (handle === null) return null;
  try {
    const first = await readFirstRecord(handle);
    const publicKey = first === null ? null : publicKeyOf(first.data);
    return first === null || publicKey === null ? null : { path, first, publicKey };
  } finally {
    await handle.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // Rotated files may belong to others by now: then they are as good as gone.
    if (error instanceof Error && 'code' in error && UNREADABLE.has(String(error.code))) return null;
    throw error;
  }
}

/** The record on the first line of an open file; null when that is no whole segment record. */
export async function readFirstRecord(file: FileHandle): Promise<ReadRecord | null> {
  if (!(await file.stat()).isFile()) return null;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
  if (end === -1) return null;
  const record = readRecord(buffer.toString('utf8', 0, end));
  return 'fault' in record || record.event !== 'segment' ? null : record;
}

function digits(seq: number): string {
  return String(seq).padStart(SEQ_DIGITS, '0');
}
