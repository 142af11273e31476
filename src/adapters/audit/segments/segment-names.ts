import { readdir } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';

/** A segment of an audit file, by its name: `audit.000000000001.jsonl` beside `audit.jsonl`. */
export interface Segment {
  /** Absolute path. */
  readonly path: string;
  /** Name of the audit file: `audit.jsonl`. */
  readonly auditFile: string;
  /** Number of its first record. */
  readonly firstSeq: number;
  /** 1; more if another program's file had the name (`audit.000000000001_2.jsonl`). */
  readonly attempt: number;
  /**
   * `gzip`: a compressed segment (`.gz`). `packed`: compressed by another program (`.xz`).
   * `recovered`: a copy that the service saved when the segment was removed (`.recovered`).
   */
  readonly form: 'plain' | 'recovered' | 'gzip' | 'packed';
}

const SEQ_DIGITS = 12;
/** Follows the stem of the audit file's name: number, attempt, extension. */
const SEGMENT_END = /\.(\d{12,15})(?:_([2-9]|[1-9]\d))?(\.[^.]+)?$/;
const GZIP = '.gz';
const RECOVERED = '.recovered';
const COMPRESSED = /\.(gz|xz|zst|bz2|lz4|Z)$/;
/** Where one number has several forms: the segment itself first. */
const FORMS: readonly Segment['form'][] = ['plain', 'packed', 'gzip', 'recovered'];

/**
 * Path of the segment that begins with this record, absolute: names sort in the order of records.
 * @param attempt more than 1 if other files have the names of all lower ones
 */
export function segmentPath(auditFile: string, firstSeq: number, attempt = 1): string {
  const { dir, name, ext } = parse(resolve(auditFile));
  const suffix = attempt === 1 ? '' : `_${attempt}`;
  return join(dir, `${name}.${String(firstSeq).padStart(SEQ_DIGITS, '0')}${suffix}${ext}`);
}

/** Path of the copy of a segment that was removed while it was open. */
export function recoveredPath(segment: string): string {
  return `${segment}${RECOVERED}`;
}

/** Path of a segment that an operator compressed. */
export function gzipPath(segment: string): string {
  return `${segment}${GZIP}`;
}

/** Whether a file is compressed by another program than gzip, by its name. */
export function isPacked(name: string): boolean {
  return COMPRESSED.test(name) && !name.endsWith(GZIP);
}

/** Parses the name of a segment, in any form; null for another name. */
export function parseSegmentName(name: string): Omit<Segment, 'path'> | null {
  const decompressed = name.replace(COMPRESSED, '');
  const plain = decompressed.endsWith(RECOVERED) ? decompressed.slice(0, -RECOVERED.length) : decompressed;
  const match = SEGMENT_END.exec(plain);
  if (match === null || match.index === 0) return null;
  const [, seq, attempt = '1', extension = ''] = match;
  const auditFile = `${plain.slice(0, match.index)}${extension}`;
  const compressed = isPacked(name) ? 'packed' : 'gzip';
  const form = decompressed !== name ? compressed : plain !== name ? 'recovered' : 'plain';
  return { auditFile, firstSeq: Number(seq), attempt: Number(attempt), form };
}

/**
 * Segments of a folder in the order of their first records, whatever they contain. A segment that
 * is also there decompressed appears only once, uncompressed or else as `.gz`.
 * @param auditFile name of the audit file; null: of all audit files
 * @throws the system's error
 */
export async function listSegmentsOf(folder: string, auditFile: string | null): Promise<readonly Segment[]> {
  const names = new Set(await readdir(folder));
  const segments: Segment[] = [];
  for (const name of names) {
    const parsed = parseSegmentName(name);
    if (parsed === null || (auditFile !== null && parsed.auditFile !== auditFile)) continue;
    const original = name.replace(COMPRESSED, '');
    if (original !== name && (names.has(original) || (isPacked(name) && names.has(gzipPath(original))))) continue;
    segments.push({ ...parsed, path: join(resolve(folder), name) });
  }
  return segments.sort(compareSegments);
}

/** {@link listSegmentsOf} by the path of an audit file, without packed ones: nothing reads them. */
export async function listSegments(auditFile: string): Promise<readonly Segment[]> {
  const segments = await listSegmentsOf(dirname(resolve(auditFile)), basename(auditFile));
  return segments.filter(({ form }) => form !== 'packed');
}

function compareSegments(left: Segment, right: Segment): number {
  return (
    left.firstSeq - right.firstSeq ||
    left.attempt - right.attempt ||
    FORMS.indexOf(left.form) - FORMS.indexOf(right.form)
  );
}
