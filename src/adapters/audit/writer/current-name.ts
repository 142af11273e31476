import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { listSegments } from '../segments/segment-names.ts';
import { foreignNameError } from './audit-errors.ts';
import { type FileIdentity, type FileSystem, isSameFile, lstatOrNull } from './file-system.ts';

/** The audit file's name, and its temporary one, which a kill or a failure can leave. */
export function currentNames(auditFile: string): readonly [string, string] {
  return [auditFile, `${auditFile}.tmp`];
}

/** A segment as far as its name is concerned. */
interface NamedSegment {
  readonly path: string;
  /** Whether this is its file, whatever the path. */
  isFile(file: FileIdentity): boolean;
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
  const current = await lstatOrNull(auditFile, fileSystem);
  if (current !== null && segment.isFile(current)) return;
  if (current !== null && !before.isFile(current)) await assertOwnName(auditFile, fileSystem);
  const [, temporary] = currentNames(auditFile);
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
  throw foreignNameError(auditFile);
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
