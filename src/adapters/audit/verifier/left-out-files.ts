import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { AuditNote, LeftOutFile, LeftOutReason } from '../../../domain/model/audit-verdict.ts';
import { compareText } from '../../../domain/model/text/compare-text.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import {
  decompressedName,
  gzipSegmentNames,
  isCompressedSegmentName,
  isQuarantineName,
  readSegment,
  rotatedRange,
  segmentNames,
} from '../record/segment-files.ts';

/** Files that are not verified, and notes on quarantined ones with records. */
export interface LeftOutFiles {
  readonly leftOut: readonly LeftOutFile[];
  readonly notes: readonly AuditNote[];
}

/**
 * Files that belong to the same audit files as the inputs, sorted by path.
 * @param paths of audit files
 * @param findReason why an audit file that is not an input matters, or null
 */
export async function findLeftOutFiles(
  paths: readonly string[],
  findReason: (path: string, auditFile: string) => Promise<LeftOutReason | null>,
): Promise<LeftOutFiles> {
  const inputs = new Set(paths.map((path) => resolve(path)));
  const auditFiles = new Set([...inputs].map((path) => join(dirname(path), toAuditFileName(basename(path)))));
  const found = new Map<string, LeftOutReason>();
  for (const file of auditFiles) {
    // Reading a file does not imply listing its folder.
    const names = await readdir(dirname(file)).catch(() => []);
    const segments = new Set([...segmentNames(basename(file), names), ...gzipSegmentNames(basename(file), names)]);
    for (const name of names) {
      const path = join(dirname(file), name);
      if (inputs.has(path)) continue;
      const reason = segments.has(name) ? await findReason(path, file) : findReasonByName(file, path, inputs);
      if (reason !== null) found.set(path, reason);
    }
  }
  const sorted = [...found].toSorted(([left], [right]) => compareText(left, right));
  const notes: AuditNote[] = [];
  for (const [path, reason] of sorted) if (reason === 'quarantined') notes.push(...(await noteRecords(path)));
  return { leftOut: sorted.map(([path, reason]) => ({ file: printable(path), reason })), notes };
}

/** @param inputs of which one may be the decompressed form */
function findReasonByName(auditFile: string, path: string, inputs: ReadonlySet<string>): LeftOutReason | null {
  const [file, name] = [basename(auditFile), basename(path)];
  if (isQuarantineName(file, name)) return 'quarantined';
  const isCompressed = !name.endsWith('.gz') && isCompressedSegmentName(file, name);
  return isCompressed && !inputs.has(decompressedName(path)) ? 'compressed' : null;
}

/** A quarantined file may have a readable first record. */
async function noteRecords(path: string): Promise<readonly AuditNote[]> {
  const segment = await readSegment(path).catch(() => null);
  if (segment === null) return [];
  const message = `contains record ${segment.first.seq} and later ones, which the service may have acknowledged: keep it with the other files`;
  return [{ file: printable(path), message }];
}

/** Whether names of files that were not read cover these records of an audit file. */
export function coverRecords(leftOut: readonly LeftOutFile[], path: string, first: number, last: number): boolean {
  const auditFile = toAuditFileName(basename(path));
  const ranges = leftOut
    .filter(({ file }) => dirname(file) === dirname(resolve(path)))
    .map(({ file }) => rotatedRange(auditFile, decompressedName(basename(file))))
    .filter((range) => range !== null);
  const reached = new Set([first]);
  for (const { firstSeq, lastSeq } of ranges.toSorted((left, right) => left.firstSeq - right.firstSeq)) {
    if (reached.has(firstSeq)) reached.add(lastSeq + 1);
  }
  return reached.has(last + 1);
}

/** Name without record range, number or date, and decompressed. */
function toAuditFileName(path: string): string {
  const name = decompressedName(path);
  const withoutRange = name.replace(/\.\d{12,}-\d{12,}/, '');
  if (withoutRange !== name) return withoutRange;
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('-'));
  return at > 0 && /^(?:\.\d{1,11}|-\d{8})$/.test(name.slice(at)) ? name.slice(0, at) : name;
}
