import { readdir } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import {
  isCompressedSegmentName,
  isSetAsideName,
  readSegment,
  rotatedRange,
} from '../../../audit-trail/segment-files.ts';
import type { AuditNote } from '../../../domain/model/audit-verdict.ts';
import { shownPath } from './shown-path.ts';

/** Files beside the given ones that are not verified, and which of them hold records. */
export interface LeftOut {
  readonly leftOut: readonly string[];
  readonly notes: readonly AuditNote[];
}

/**
 * Compressed files beside the given ones that were rotated from the same audit file, and those that
 * the service set aside from it, which are not verified: sorted. One whose decompressed form is
 * among the given ones is not among them.
 * @param paths of audit files
 */
export async function findLeftOut(paths: readonly string[]): Promise<LeftOut> {
  const given = new Set(paths.map((path) => resolve(path)));
  const audited = new Set([...given].map((path) => join(dirname(path), auditFileOf(basename(path)))));
  const found = new Set<string>();
  for (const file of audited) {
    // Who may read the file may perhaps not list its folder.
    for (const name of await readdir(dirname(file)).catch(() => [])) {
      const path = join(dirname(file), name);
      const isCompressed =
        isCompressedSegmentName(basename(file), name) && !given.has(path.slice(0, path.lastIndexOf('.')));
      if (!given.has(path) && (isCompressed || isSetAsideName(basename(file), name))) found.add(path);
    }
  }
  const leftOut = [...found].toSorted();
  const notes: AuditNote[] = [];
  for (const path of leftOut) notes.push(...(await noteRecords(path)));
  return { leftOut: leftOut.map(shownPath), notes };
}

/** Of those that were left out, only a file that was set aside has a first record to read. */
async function noteRecords(path: string): Promise<readonly AuditNote[]> {
  const segment = await readSegment(path).catch(() => null);
  if (segment === null) return [];
  const message = `holds records from ${segment.first.seq} on, which the service may have acknowledged: keep it with the other files`;
  return [{ file: shownPath(path), message }];
}

/**
 * Whether compressed files hold, by their names, all of these records of the audit file that a file
 * was rotated from. Only the service's own names say which records a file holds.
 * @param leftOut paths of compressed files
 * @param path of an audit file
 */
export function coverRecords(leftOut: readonly string[], path: string, first: number, last: number): boolean {
  const auditFile = auditFileOf(basename(path));
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

/**
 * The name of the audit file that one of this name was rotated from: what its records, a number or
 * a date were added to; the name itself where nothing was.
 */
function auditFileOf(name: string): string {
  const withoutRange = name.replace(/\.\d{12,}-\d{12,}/, '');
  if (withoutRange !== name) return withoutRange;
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('-'));
  return at > 0 && /^(?:\.\d{1,11}|-\d{8})$/.test(name.slice(at)) ? name.slice(0, at) : name;
}
