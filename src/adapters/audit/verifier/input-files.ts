import { readdir } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AuditNote } from '../../../domain/model/audit-verdict.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { readFileIdentity } from '../../files/open-regular-file.ts';
import { NOT_A_RECORD, type ReadRecord, readRecord } from '../record/read-record.ts';
import {
  decompressedName,
  gzipSegmentNames,
  isCompressedSegmentName,
  isQuarantineName,
  readSegment,
  rotatedRange,
  segmentNames,
} from '../record/segment-files.ts';
import { openAuditFile } from './open-audit-file.ts';
import { isMissing, toReadError } from './read-error.ts';
import { type FirstText, INCOMPLETE } from './verifiable-file.ts';

/** Files that are not verified, and notes on those with records. */
interface SkippedFiles {
  readonly leftOut: readonly string[];
  readonly notes: readonly AuditNote[];
}

/**
 * Compressed and quarantined files of the same audit files, sorted, unless an input is the
 * decompressed form.
 * @param paths of audit files
 */
async function findSkippedFiles(paths: readonly string[]): Promise<SkippedFiles> {
  const inputs = new Set(paths.map((path) => resolve(path)));
  const audited = new Set([...inputs].map((path) => join(dirname(path), toAuditFileName(basename(path)))));
  const found = new Set<string>();
  for (const file of audited) {
    // Reading a file does not imply listing its folder.
    for (const name of await readdir(dirname(file)).catch(() => [])) {
      const path = join(dirname(file), name);
      const isCompressed =
        isCompressedSegmentName(basename(file), name) && !inputs.has(path.slice(0, path.lastIndexOf('.')));
      if (!inputs.has(path) && (isCompressed || isQuarantineName(basename(file), name))) found.add(path);
    }
  }
  const leftOut = [...found].toSorted();
  const notes: AuditNote[] = [];
  for (const path of leftOut) notes.push(...(await noteRecords(path)));
  return { leftOut: leftOut.map(printable), notes };
}

/** Only a quarantined file can have a readable first record. */
async function noteRecords(path: string): Promise<readonly AuditNote[]> {
  const segment = await readSegment(path).catch(() => null);
  if (segment === null) return [];
  const message = `contains record ${segment.first.seq} and later ones, which the service may have acknowledged: keep it with the other files`;
  return [{ file: printable(path), message }];
}

/** Whether names of compressed files cover these records of an audit file. */
export function coverRecords(leftOut: readonly string[], path: string, first: number, last: number): boolean {
  const auditFile = toAuditFileName(basename(path));
  const ranges = leftOut
    .filter((file) => dirname(file) === dirname(resolve(path)))
    .map((file) => rotatedRange(auditFile, parse(file).name))
    .filter((range) => range !== null);
  let next = first;
  for (const { firstSeq, lastSeq } of ranges.toSorted((left, right) => left.firstSeq - right.firstSeq)) {
    if (firstSeq === next) next = lastSeq + 1;
  }
  return next === last + 1;
}

/** Name without record range, number or date, and decompressed. */
function toAuditFileName(path: string): string {
  const name = decompressedName(path);
  const withoutRange = name.replace(/\.\d{12,}-\d{12,}/, '');
  if (withoutRange !== name) return withoutRange;
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('-'));
  return at > 0 && /^(?:\.\d{1,11}|-\d{8})$/.test(name.slice(at)) ? name.slice(0, at) : name;
}

type FirstLine =
  /** An empty file. */
  | null
  | { readonly record: ReadRecord }
  /** `isWhole`: the file does not look like an audit file. */
  | { readonly issue: string; readonly isWhole?: boolean };

/** An inspected file, closed: there may be more than the limit on open files. */
export interface InputFile {
  readonly path: string;
  /** Printable path. */
  readonly name: string;
  /** Device and inode. */
  readonly identity: string;
  /** Bytes to read. */
  readonly size: number;
  readonly isCompressed: boolean;
  readonly first: FirstLine;
}

const NOT_AN_AUDIT_FILE =
  'is not an audit file, or its first line is damaged: if the service did not write it, move it to another folder';

/**
 * Inspects a file and its first line.
 * @param lineTimeoutMs how long to wait for the end of that line
 * @param wasEmpty on an earlier inspection; then reads only its first line
 * @throws OperatorError when it cannot be opened or is not a regular file
 */
async function inspectPath(path: string, lineTimeoutMs: number, wasEmpty = false): Promise<InputFile> {
  const file = await openAuditFile(path, lineTimeoutMs);
  try {
    const isEmpty = file.size === 0;
    if (wasEmpty && !file.isCompressed) await file.limitTo(0);
    const first = isEmpty ? null : readFirst(await file.firstLine());
    const { name, identity, isCompressed, size } = file;
    return { path, name, identity, size, isCompressed, first };
  } finally {
    await file.close();
  }
}

/** A clearer issue for a file that may not be an audit file. */
function clarifyIssue(file: InputFile): InputFile {
  const { first } = file;
  if (first === null || 'record' in first) return file;
  if (first.issue !== INCOMPLETE && first.issue !== NOT_A_RECORD.issue) return file;
  return { ...file, first: { issue: NOT_AN_AUDIT_FILE, isWhole: true } };
}

function readFirst(text: FirstText): FirstLine {
  if (text === null) return null;
  if ('issue' in text) return { issue: text.issue, isWhole: text.issue !== INCOMPLETE };
  const record = readRecord(text.line);
  if ('issue' in record) return record;
  // Its number does not show the order of files.
  return record.event === 'segment' ? { record } : { issue: 'begins a file but is not a segment record' };
}

/**
 * Absolute paths of the audit file and its rotated files, whatever they hold.
 * @throws OperatorError when the folder cannot be read or has none
 */
async function listOwnFiles(auditFile: string): Promise<readonly string[]> {
  const folder = dirname(resolve(auditFile));
  const names = await readdir(folder).catch((error: unknown) => {
    throw toReadError('folder of the audit file', folder, error);
  });
  const file = basename(auditFile);
  const paths = [...segmentNames(file, names), ...gzipSegmentNames(file, names)].map((name) => join(folder, name));
  if (paths.length > 0) return paths.toSorted();
  throw toReadError('audit file', auditFile, Object.assign(new Error('no such file'), { code: 'ENOENT' }));
}

/** Whether neither the service nor logrotate gives this name: it may be another program's. */
function hasCustomName(auditFile: string, path: string): boolean {
  const prefix = `${basename(auditFile)}.`;
  return basename(path).startsWith(prefix) && !/^\d/.test(basename(path).slice(prefix.length));
}

/** Attempts, in case files are rotated meanwhile. */
const MAX_ATTEMPTS = 5;
/** Between attempts, milliseconds. */
const PAUSE_MS = 20;

/** Files to verify, and notes on them. */
export interface InputFiles {
  readonly files: readonly InputFile[];
  readonly notes: readonly AuditNote[];
  /** Printable paths of skipped files. */
  readonly leftOut: readonly string[];
}

/**
 * Inspects files in turn. When all are empty, waits for a first line.
 * @throws OperatorError when one cannot be opened
 */
export async function inspectFiles(paths: readonly string[], lineTimeoutMs: number): Promise<InputFiles> {
  const deadline = performance.now() + lineTimeoutMs;
  for (let wereEmpty = false; ; wereEmpty = true) {
    const files: InputFile[] = [];
    for (const path of paths) files.push(await inspectPath(path, lineTimeoutMs, wereEmpty));
    if (files.some(({ first }) => first !== null) || performance.now() >= deadline) {
      return { files, ...(await findSkippedFiles(paths)) };
    }
    await setTimeout(PAUSE_MS);
  }
}

/**
 * Inspects the audit file and its rotated files at one moment.
 * @throws OperatorError when one cannot be opened, or none exists
 */
export async function inspectOwnFiles(auditFile: string, lineTimeoutMs: number): Promise<InputFiles> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const paths = await listOwnFiles(auditFile);
    const found = await inspectIfExists(paths, lineTimeoutMs, attempt === MAX_ATTEMPTS);
    if (found !== null && (await areUnchanged(found, auditFile))) {
      const missing = paths.includes(resolve(auditFile)) ? [] : [missingNote(auditFile)];
      const { leftOut, notes } = await findSkippedFiles([auditFile, ...paths]);
      const files = found.map((file) => (hasCustomName(auditFile, file.path) ? clarifyIssue(file) : file));
      return { files, notes: [...missing, ...notes], leftOut };
    }
    await setTimeout(PAUSE_MS);
  }
  throw new OperatorError(
    `The files beside ${printable(auditFile)} keep changing: verify again, or give the files explicitly.`,
  );
}

/** Null when one is gone, unless `isLast`. */
async function inspectIfExists(
  paths: readonly string[],
  lineTimeoutMs: number,
  isLast: boolean,
): Promise<readonly InputFile[] | null> {
  try {
    return (await inspectFiles(paths, lineTimeoutMs)).files;
  } catch (error) {
    if (!isLast && isMissing(error)) return null;
    throw error;
  }
}

/** Whether no file was added, removed or renamed meanwhile. */
async function areUnchanged(files: readonly InputFile[], auditFile: string): Promise<boolean> {
  const now = await listOwnFiles(auditFile);
  if (now.join('\n') !== files.map(({ path }) => path).join('\n')) return false;
  for (const { path, identity } of files) {
    if ((await readFileIdentity(path)) !== identity) return false;
  }
  return true;
}

function missingNote(auditFile: string): AuditNote {
  return {
    file: printable(resolve(auditFile)),
    message: 'does not exist: only the files rotated from it were verified',
  };
}
