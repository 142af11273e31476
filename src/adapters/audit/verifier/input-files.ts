import { access, constants, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AuditNote, LeftOutFile, LeftOutReason } from '../../../domain/model/audit-verdict.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { readFileIdentity } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { NOT_A_RECORD, type ReadRecord, readRecord } from '../record/read-record.ts';
import { gzipSegmentNames, segmentNames } from '../record/segment-files.ts';
import { findLeftOutFiles, type LeftOutFiles } from './left-out-files.ts';
import { openAuditFile } from './open-audit-file.ts';
import { isForbidden, isMissing, toReadError } from './read-error.ts';
import { type FirstText, INCOMPLETE } from './verifiable-file.ts';

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
  readonly leftOut: readonly LeftOutFile[];
}

/**
 * Inspects files in turn. When all are empty, waits for a first line.
 * @throws OperatorError when one cannot be opened
 */
export async function inspectFiles(paths: readonly string[], lineTimeoutMs: number): Promise<InputFiles> {
  const files = await inspectAll(paths, lineTimeoutMs);
  return { files, ...(await findLeftOutFiles(paths, (path, auditFile) => findNotGiven(path, auditFile, files))) };
}

async function inspectAll(paths: readonly string[], lineTimeoutMs: number): Promise<readonly InputFile[]> {
  const deadline = performance.now() + lineTimeoutMs;
  for (let wereEmpty = false; ; wereEmpty = true) {
    const files: InputFile[] = [];
    for (const path of paths) files.push(await inspectPath(path, lineTimeoutMs, wereEmpty));
    if (files.some(({ first }) => first !== null) || performance.now() >= deadline) return files;
    await setTimeout(PAUSE_MS);
  }
}

/** Why a file beside the given ones makes the check incomplete; null if it has no other records. */
async function findNotGiven(
  path: string,
  auditFile: string,
  given: readonly InputFile[],
): Promise<LeftOutReason | null> {
  try {
    const { first } = await inspectPath(path, 0);
    if (first === null) return null;
    if ('issue' in first) return hasCustomName(auditFile, path) ? null : 'not-given';
    const { hash } = first.record;
    return given.some((file) => hasHash(file, hash)) ? null : 'not-given';
  } catch (error) {
    return isForbidden(error) ? 'unreadable' : null;
  }
}

function hasHash({ first }: InputFile, hash: string): boolean {
  return first !== null && 'record' in first && first.record.hash === hash;
}

/**
 * Inspects the audit file and its rotated files at one moment. Rotated files that this user cannot
 * read are left out.
 * @throws OperatorError when one cannot be opened, or none exists
 */
export async function inspectOwnFiles(auditFile: string, lineTimeoutMs: number): Promise<InputFiles> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const paths = await listOwnFiles(auditFile);
    const readable = await selectReadable(paths, auditFile);
    const found = await inspectIfExists(readable, lineTimeoutMs, attempt === MAX_ATTEMPTS);
    if (found !== null && (await areUnchanged(found, paths, auditFile))) {
      const missing = paths.includes(resolve(auditFile)) ? [] : [missingNote(auditFile)];
      const { leftOut, notes } = await findLeftOut(auditFile, paths, readable);
      const files = found.map((file) => (hasCustomName(auditFile, file.path) ? clarifyIssue(file) : file));
      return { files, notes: [...missing, ...notes], leftOut };
    }
    await setTimeout(PAUSE_MS);
  }
  throw new OperatorError(
    `The files beside ${printable(auditFile)} keep changing: verify again, or give the files explicitly.`,
  );
}

/** Without rotated files that this user cannot read, unless that leaves none. */
async function selectReadable(paths: readonly string[], auditFile: string): Promise<readonly string[]> {
  const readable: string[] = [];
  for (const path of paths) {
    if (path === resolve(auditFile) || (await canRead(path))) readable.push(path);
  }
  return readable.length === 0 ? paths : readable;
}

async function canRead(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    (error: unknown) => systemErrorCode(error) !== 'EACCES',
  );
}

function findLeftOut(auditFile: string, paths: readonly string[], readable: readonly string[]): Promise<LeftOutFiles> {
  const unreadable = new Set(paths.filter((path) => !readable.includes(path)));
  const given = [auditFile, ...readable];
  return findLeftOutFiles(given, async (path) => (unreadable.has(path) ? 'unreadable' : null));
}

/** Null when one is gone, unless `isLast`. */
async function inspectIfExists(
  paths: readonly string[],
  lineTimeoutMs: number,
  isLast: boolean,
): Promise<readonly InputFile[] | null> {
  try {
    return await inspectAll(paths, lineTimeoutMs);
  } catch (error) {
    if (!isLast && isMissing(error)) return null;
    throw error;
  }
}

/** Whether no file was added, removed or renamed meanwhile. */
async function areUnchanged(
  files: readonly InputFile[],
  paths: readonly string[],
  auditFile: string,
): Promise<boolean> {
  const now = await listOwnFiles(auditFile);
  if (now.join('\n') !== paths.join('\n')) return false;
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
