import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readTail } from '../../../audit-trail/file-lines.ts';
import { readRecord } from '../../../audit-trail/read-record.ts';
import { findSegments, isRotatedName, type SegmentFile } from '../../../audit-trail/segment-files.ts';
import { unreadable } from './input-error.ts';

/** Beside the audit file, but nothing that can be read: what holds no records, and what was compressed. */
const OTHER_FILES = /\.(torn|lock|usage|tmp|gz|xz|zst|bz2)$/;

/**
 * Paths of the service's audit file and of the files beside it that were rotated out of it: those that bear the name of one, whatever they hold, so that one that was spoilt is not passed over;
 * and those of other names whose last record is the one before the first of these.
 * @throws AuditInputError when the folder can't be read or the file is not there
 */
export async function listOwnFiles(auditFile: string): Promise<readonly string[]> {
  const folder = dirname(resolve(auditFile));
  const name = basename(auditFile);
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable('folder of the audit file', folder, error);
  });
  const named = names.filter((other) => isOwnName(name, other)).map((other) => join(folder, other));
  const paths = new Set([resolve(auditFile), ...named]);
  const segments = await findSegments(auditFile);
  const others = await findEnds(segments.filter(({ path }) => !paths.has(path)));
  let wanted = segments.filter(({ path }) => paths.has(path)).map(({ first }) => first.prevHash);
  while (wanted.length > 0) {
    const joined = others.filter(({ path, hash }) => !paths.has(path) && hash !== null && wanted.includes(hash));
    for (const { path } of joined) paths.add(path);
    wanted = joined.map(({ prevHash }) => prevHash);
  }
  return [...paths];
}

function isOwnName(name: string, other: string): boolean {
  if (OTHER_FILES.test(other)) return false;
  return isRotatedName(name, other) || other.startsWith(`${name}.`) || other.startsWith(`${name}-`);
}

/** A file by what stands before its first record and the hash of its last; null where that can't be told. */
interface FileEnds {
  readonly path: string;
  readonly prevHash: string | null;
  readonly hash: string | null;
}

async function findEnds(segments: readonly SegmentFile[]): Promise<readonly FileEnds[]> {
  const ends: FileEnds[] = [];
  for (const { path, first } of segments) ends.push({ path, prevHash: first.prevHash, hash: await lastHash(path) });
  return ends;
}

async function lastHash(path: string): Promise<string | null> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { lines } = await readTail(file, (await file.stat()).size, () => true);
    const last = lines.at(-1);
    const record = typeof last === 'string' ? readRecord(last) : undefined;
    return record === undefined || 'fault' in record ? null : record.hash;
  } catch {
    return null;
  } finally {
    await file?.close();
  }
}
