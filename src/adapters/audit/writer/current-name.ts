import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readRecord } from '../record/read-record.ts';
import { listSegments, parseSegmentName, segmentPath } from '../segments/segment-names.ts';
import { withSegment } from '../segments/segment-reader.ts';
import { foreignNameError } from './audit-errors.ts';
import { type FileIdentity, type FileSystem, isSameFile, lstatOrNull } from './file-system.ts';

/** A segment as far as its names are concerned. */
interface NamedSegment {
  readonly path: string;
  /** Whether a path leads to its file. */
  hasName(path: string): Promise<boolean>;
}

/**
 * Makes the audit file's name a second name (a hard link) of a segment, for `tail -F` and other
 * readers of one file. It is replaced in one step, so that it always leads to a segment.
 * @param before the segment that had the name, wherever it is now
 * @throws AuditUnavailableError when a file that is no segment has the name: it is left alone
 * @throws the system's error without hard links, or where the name is a mount point
 */
export async function linkCurrentName(
  auditFile: string,
  segment: NamedSegment,
  before: NamedSegment,
  fileSystem: FileSystem,
): Promise<void> {
  if (await segment.hasName(auditFile)) return;
  if (!(await before.hasName(auditFile))) await assertOwnName(auditFile, fileSystem);
  const temporary = `${auditFile}.tmp`;
  await fileSystem.unlink(temporary).catch(() => undefined);
  await fileSystem.link(segment.path, temporary);
  try {
    await fileSystem.rename(temporary, auditFile);
  } catch (error) {
    await fileSystem.unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/**
 * Checks that the audit file's name is free or leads to a segment of its folder.
 * @throws AuditUnavailableError otherwise: an older layout, a restored copy, an empty file
 */
export async function assertOwnName(auditFile: string, fileSystem: Pick<FileSystem, 'lstat'>): Promise<void> {
  const current = await lstatOrNull(auditFile, fileSystem);
  if (current === null || (await isSegment(auditFile, current, fileSystem))) return;
  // Nothing can take the place of a mount point, so nothing is replaced.
  if (await isMountPoint(resolve(auditFile))) return;
  throw foreignNameError(auditFile, await findAdvice(auditFile, fileSystem));
}

/** Advice for a segment under its own name, and for the only copy of one; empty for other files. */
async function findAdvice(path: string, fileSystem: Pick<FileSystem, 'lstat'>): Promise<string> {
  const first = await withSegment({ path }, (reader) => reader.firstLine()).catch(() => null);
  const record = readRecord(first?.text ?? null);
  if ('issue' in record || record.event !== 'segment') return '';
  const name = parseSegmentName(basename(path));
  if (name?.firstSeq === record.seq)
    return `If it is one of the files of ${join(dirname(path), name.auditFile)}, set SIGNING_AUDIT_FILE to that path. Otherwise: `;
  const segment = segmentPath(path, record.seq);
  if ((await lstatOrNull(segment, fileSystem)) !== null) return '';
  return `If it is all that is left of ${segment}, which is missing, restore that: \`mv ${path} ${segment}\`. Otherwise: `;
}

/** The newest segment first: nearly always it is the one. */
async function isSegment(
  auditFile: string,
  current: FileIdentity,
  fileSystem: Pick<FileSystem, 'lstat'>,
): Promise<boolean> {
  for (const { path } of (await listSegments(auditFile)).toReversed()) {
    const found = await lstatOrNull(path, fileSystem);
    if (found !== null && isSameFile(found, current)) return true;
  }
  return false;
}

/** By proc_pid_mountinfo(5), whose fifth field escapes spaces and such as octal numbers. */
async function isMountPoint(path: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  return mounts.split('\n').some((line) => unescapeOctal(line.split(' ')[4] ?? '') === path);
}

function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
