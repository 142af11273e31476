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
  /** The key that signs its checkpoints, 32 bytes. */
  readonly publicKey: Buffer;
}

const SEQ_DIGITS = 12;
const NEWLINE = 0x0a;
/** What lies beside the audit file and holds no records, torn ones, or what another program left; and keys, which nothing but what opens them may read. */
const OTHER_FILES = /\.(torn|lock|usage|tmp|set-aside-[^.]+|key|pub|pem|previous)$/;

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
  const { name: stem, ext } = parse(file);
  if (!name.startsWith(stem) || !name.endsWith(ext)) return null;
  const match = /^\.(\d{12,})-(\d{12,})$/.exec(name.slice(stem.length, name.length - ext.length));
  return match === null ? null : { name, firstSeq: Number(match[1]), lastSeq: Number(match[2]) };
}

/** Whether this is a name that {@link rotatedPath} gives. */
export function isRotatedName(file: string, name: string): boolean {
  return rotatedRange(file, name) !== null;
}

/** Whether a file of this name may have been the audit file: it was rotated by the service (`audit.1-4711.jsonl`), by logrotate (`audit.jsonl.1`, `audit.jsonl-20261121`, `audit.1.jsonl`) or by hand. */
function isSegmentName(file: string, name: string): boolean {
  if (OTHER_FILES.test(name)) return false;
  const { name: stem, ext } = parse(file);
  return [file, stem].some((begin) => {
    const rest = name.slice(begin.length);
    return name.startsWith(begin) && (rest === '' || /^[.-]/.test(rest)) && (begin === file || name.endsWith(ext));
  });
}

/**
 * The files beside the audit file, itself included, that begin with a segment record, by the number of that record: those that the service rotated, and those that
 * another program renamed (`audit.jsonl.1`). They may belong to more than one chain.
 */
export async function findSegments(file: string): Promise<readonly SegmentFile[]> {
  const folder = dirname(resolve(file));
  const candidates = (await readdir(folder)).filter((name) => isSegmentName(basename(file), name));
  const segments: SegmentFile[] = [];
  // One after the other: there may be more of them than files may be open.
  for (const name of candidates) {
    const segment = await readSegment(join(folder, name));
    if (segment !== null) segments.push(segment);
  }
  return segments.sort((left, right) => left.first.seq - right.first.seq);
}

/**
 * The file at this path as a segment; null when there is none, or when it does not begin with a segment record.
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
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
