import { readdir } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';

/** A segment of an audit file, by its name: `audit.000000000001.jsonl` beside `audit.jsonl`. */
export interface Segment {
  /** Absolute path. */
  readonly path: string;
  /** Number of its first record. */
  readonly firstSeq: number;
  /** 1; more if another program's file had the name (`audit.000000000001_2.jsonl`). */
  readonly attempt: number;
  /**
   * `gzip`: a compressed segment (`.gz`). `recovered`: a copy that the service saved when the
   * segment was removed (`.recovered`).
   */
  readonly form: 'plain' | 'recovered' | 'gzip';
}

/** A segment's name, and the audit file whose name it extends. */
export interface SegmentName extends Omit<Segment, 'path'> {
  /** Name of the audit file: `audit.jsonl`. */
  readonly auditFile: string;
}

const SEQ_DIGITS = 12;
const SEGMENT_NAME = /^(.+)\.(\d{12,15})(?:_([2-9]|[1-9]\d))?(\.[^.]+)?$/;
const GZIP = '.gz';
const RECOVERED = '.recovered';
/** Where one number has several forms: the segment itself first. */
const FORMS: readonly Segment['form'][] = ['plain', 'gzip', 'recovered'];

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

/** Parses the name of a segment, in any form; null for another name. */
export function parseSegmentName(name: string): SegmentName | null {
  const decompressed = withoutEnding(name, GZIP);
  const plain = withoutEnding(decompressed, RECOVERED);
  const match = SEGMENT_NAME.exec(plain);
  if (match === null) return null;
  const [, stem = '', seq, attempt = '1', extension = ''] = match;
  const form = decompressed !== name ? 'gzip' : plain !== name ? 'recovered' : 'plain';
  return { auditFile: `${stem}${extension}`, firstSeq: Number(seq), attempt: Number(attempt), form };
}

function withoutEnding(name: string, ending: string): string {
  return name.endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/**
 * Segments of a folder in the order of their first records, whatever they contain. A segment that
 * is being compressed appears only once, uncompressed.
 * @param auditFile name of the audit file; null: of all audit files
 * @throws the system's error
 */
export async function listSegmentsOf(folder: string, auditFile: string | null): Promise<readonly Segment[]> {
  const names = new Set(await readdir(folder));
  const segments: Segment[] = [];
  for (const name of names) {
    const parsed = parseSegmentName(name);
    if (parsed === null || (auditFile !== null && parsed.auditFile !== auditFile)) continue;
    if (parsed.form === 'gzip' && names.has(name.slice(0, -GZIP.length))) continue;
    const { firstSeq, attempt, form } = parsed;
    segments.push({ path: join(resolve(folder), name), firstSeq, attempt, form });
  }
  return segments.sort(compareSegments);
}

/** {@link listSegmentsOf} for the path of one audit file. */
export function listSegments(auditFile: string): Promise<readonly Segment[]> {
  return listSegmentsOf(dirname(resolve(auditFile)), basename(auditFile));
}

/**
 * {@link listSegments} with one file for each number: the service's last attempt at it, and the
 * recovered copy rather than what has the place of the segment. Files before it are those of other
 * programs.
 */
export async function listChainSegments(auditFile: string): Promise<readonly Segment[]> {
  const segments = await listSegments(auditFile);
  return segments.filter(({ firstSeq }, index) => firstSeq !== segments[index + 1]?.firstSeq);
}

function compareSegments(left: Segment, right: Segment): number {
  return (
    left.firstSeq - right.firstSeq ||
    left.attempt - right.attempt ||
    FORMS.indexOf(left.form) - FORMS.indexOf(right.form)
  );
}
