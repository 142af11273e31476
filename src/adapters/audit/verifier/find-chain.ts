import { basename, extname, resolve } from 'node:path';
import type {
  AuditFailure,
  AuditNote,
  LateChainStart,
  LeftOutFile,
  LossReason,
} from '../../../domain/model/audit-verdict.ts';
import { ChainVerifier } from '../record/chain-verifier.ts';
import type { ReadRecord } from '../record/read-record.ts';
import { getSegmentPublicKey } from '../record/segment.ts';
import { decompressedName, rotatedRange } from '../record/segment-files.ts';
import { EMPTY_CHAIN } from '../record/signed-record.ts';
import { ChainReport, CLOCK_TOLERANCE_MS } from './chain-report.ts';
import type { InputFile } from './input-files.ts';
import { coverRecords } from './left-out-files.ts';

/**
 * The chain that a file continues or begins. Files come in record order.
 * @param leftOut files that were not read: records in their names do not count as gaps
 * @param trustedKeys 32 bytes each; null: those that the files name
 * @returns the issue when the file belongs to none
 */
export function findChain(
  segment: SegmentFile,
  chains: readonly ChainReport[],
  leftOut: readonly LeftOutFile[],
  trustedKeys: readonly Buffer[] | null,
): ChainReport | AuditFailure {
  const { seq, prevHash } = segment.first;
  if (seq === EMPTY_CHAIN.seq + 1) return new ChainReport(new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys }));
  const joined = chains.find(({ head }) => head?.seq === seq - 1 && head.hash === prevHash);
  const message = joined === undefined ? findBreak(segment, chains, leftOut) : null;
  if (message !== null) return { file: segment.file.name, line: 1, message };
  return joined ?? new ChainReport(new ChainVerifier({ head: null, trustedKeys }));
}

/** The issue when records before a file are missing from its chain. */
function findBreak(
  { file, first, key }: SegmentFile,
  chains: readonly ChainReport[],
  leftOut: readonly LeftOutFile[],
): string | null {
  const { seq } = first;
  const ofInstance = chains.filter((chain) => chain.hasInstance(first.instanceId));
  const ofKey = chains.filter((chain) => key !== null && chain.hasKey(key));
  const candidates = [...ofInstance, ...ofKey];
  const neighbour = candidates.find((chain) => chain.lastSeq === seq - 1);
  if (neighbour !== undefined) return formatMismatch(seq, neighbour);
  const before = nearestBefore(seq, ofInstance);
  if (before !== undefined)
    return coverRecords(leftOut, file.path, before.lastSeq + 1, seq - 1) ? null : formatGap(seq, before);
  const [overlapped] = ofInstance;
  if (overlapped !== undefined) return formatOverlap(seq, overlapped);
  const beforeOfKey = nearestBefore(seq, ofKey);
  if (beforeOfKey === undefined) return null;
  return `${formatGap(seq, beforeOfKey)} (if they belong to two instances with one audit key, verify each separately)`;
}

function nearestBefore(seq: number, chains: readonly ChainReport[]): ChainReport | undefined {
  return chains
    .filter((chain) => chain.lastSeq < seq - 1)
    .toSorted((left, right) => right.lastSeq - left.lastSeq)
    .at(0);
}

function formatMismatch(seq: number, { lastFile }: ChainReport): string {
  return `is record ${seq}, but does not follow the end of ${lastFile.file}: one of the two files was altered or belongs to another chain (its prevHash is not the hash of record ${seq - 1})`;
}

function formatGap(seq: number, chain: ChainReport): string {
  const first = chain.lastSeq + 1;
  const missing = first === seq - 1 ? `record ${first} is` : `records ${first} to ${seq - 1} are`;
  return `is record ${seq}: ${missing} missing between ${chain.lastFile.file} and this file`;
}

function formatOverlap(seq: number, chain: ChainReport): string {
  return `is record ${seq}, but the records of its instance in ${chain.lastFile.file} already extend to record ${chain.lastSeq}: it repeats them or was spliced in`;
}

const LOSS_REASONS: ReadonlySet<string> = new Set<LossReason>(['missing', 'removed', 'truncated', 'changed']);

/**
 * Chains that begin after the end of another or after a loss. A late start is not an issue: older
 * files may be archived.
 * @param chains read to their ends
 * @param leftOut files that were not read: records in their names do not count as gaps
 */
export function findLateChainStarts(
  chains: readonly ChainReport[],
  leftOut: readonly LeftOutFile[],
): readonly LateChainStart[] {
  return chains.flatMap((chain) => {
    const { firstSeq, firstFile: file, firstReason } = chain;
    if (firstSeq <= 1) return [];
    const previous = findPrevious(chain, chains);
    if (previous !== undefined && coverRecords(leftOut, resolve(file), previous.lastSeq + 1, firstSeq - 1)) return [];
    const before = previous === undefined ? null : { file: previous.lastFile.file, lastSeq: previous.lastSeq };
    const reason = isLossReason(firstReason) ? firstReason : null;
    return before === null && reason === null ? [] : [{ file, firstSeq, reason, before }];
  });
}

/** The chain just before this one in number and time; one that overlaps is another service's. */
function findPrevious(chain: ChainReport, chains: readonly ChainReport[]): ChainReport | undefined {
  const begin = Date.parse(chain.firstTime) + CLOCK_TOLERANCE_MS;
  return chains
    .filter(({ lastSeq, lastTime }) => lastSeq < chain.firstSeq - 1 && Date.parse(lastTime) <= begin)
    .toSorted((left, right) => right.lastSeq - left.lastSeq)
    .at(0);
}

function isLossReason(reason: string | null): reason is LossReason {
  return reason !== null && LOSS_REASONS.has(reason);
}

/** A file with its position among the others. */
export interface SegmentFile {
  readonly file: InputFile;
  readonly first: ReadRecord;
  /** The key that it names, 32 bytes, or null. */
  readonly key: Buffer | null;
}

/** Files in record order, and notes on empty ones. */
interface OrderedSegments {
  readonly segments: readonly SegmentFile[];
  readonly notes: readonly AuditNote[];
}

/** Commands that decompress a file and keep it. */
const DECOMPRESSION: ReadonlyMap<string, string> = new Map([
  ['.xz', 'unxz --keep'],
  ['.zst', 'unzstd'],
  ['.bz2', 'bunzip2 --keep'],
  ['.lz4', 'unlz4'],
  ['.Z', 'uncompress -k'],
]);

/**
 * Orders files by first record, or returns the issue. Ignores empty files beside others, and
 * compressed copies of others.
 */
export function orderSegments(inputs: readonly InputFile[]): OrderedSegments | AuditFailure {
  const { files, notes } = leaveOutCopies(inputs);
  const segments: SegmentFile[] = [];
  for (const file of files) {
    const { first, name } = file;
    const command = DECOMPRESSION.get(extname(file.path));
    if (first !== null && 'issue' in first && command !== undefined) {
      const message = `is compressed: decompress it (\`${command}\`) and verify the resulting file`;
      return { file: name, line: null, message };
    }
    if (first !== null && 'issue' in first && extname(file.path) === '.gz' && !file.isCompressed) {
      return { file: name, line: null, message: 'is neither a gzip file nor an audit file' };
    }
    if (first !== null && 'issue' in first) {
      return { file: name, line: first.isWhole ? null : 1, message: first.issue };
    }
    if (first === null)
      notes.push({ file: name, message: 'is empty: nothing was recorded in it, or its content was deleted' });
    else segments.push({ file, first: first.record, key: getSegmentPublicKey(first.record.data) });
  }
  return (
    findEmptiedFile(files, segments.length > 0) ??
    findRepeated(segments) ?? {
      segments: segments.toSorted((left, right) => left.first.seq - right.first.seq),
      notes,
    }
  );
}

/** Leaves out compressed files given with their originals: gzip may still be writing them. */
function leaveOutCopies(inputs: readonly InputFile[]): { readonly files: InputFile[]; readonly notes: AuditNote[] } {
  const originals = new Map<string, InputFile>();
  for (const file of inputs) {
    if (file.isCompressed) continue;
    originals.set(resolve(file.path), file);
    if (file.first !== null && 'record' in file.first) originals.set(file.first.record.hash, file);
  }
  const files: InputFile[] = [];
  const notes: AuditNote[] = [];
  for (const file of inputs) {
    const original = file.isCompressed ? findOriginal(file, originals) : undefined;
    if (original === undefined) files.push(file);
    else notes.push({ file: file.name, message: `was not read: it is a compressed copy of ${original.name}` });
  }
  return { files, notes };
}

/** By its first record, or if that cannot be read, by its name. */
function findOriginal({ path, first }: InputFile, originals: ReadonlyMap<string, InputFile>): InputFile | undefined {
  if (first !== null && 'record' in first) return originals.get(first.record.hash);
  return originals.get(decompressedName(resolve(path)));
}

/** An empty file that should have records. */
function findEmptiedFile(files: readonly InputFile[], othersHoldRecords: boolean): AuditFailure | null {
  for (const { name, path, first } of files) {
    if (first !== null) continue;
    const range = parseRecordRange(basename(path));
    if (range !== null) {
      const message = `is empty, but according to its name it had records ${range.firstSeq} to ${range.lastSeq}`;
      return { file: name, line: null, message };
    }
    if (othersHoldRecords) continue;
    return { file: name, line: null, message: 'is empty: an audit file has at least its segment record' };
  }
  return null;
}

/** The record range in the name of any audit file, or null. */
function parseRecordRange(name: string) {
  const decompressed = decompressedName(name);
  return rotatedRange(decompressed.replace(/\.\d{12,}-\d{12,}/, ''), decompressed);
}

function findRepeated(segments: readonly SegmentFile[]): AuditFailure | null {
  const seen = new Map<string, string>();
  for (const { file, first } of segments) {
    const earlier = seen.get(file.identity);
    if (earlier !== undefined) {
      return { file: file.name, line: null, message: `is the same file as ${earlier}: it was given twice` };
    }
    const copy = seen.get(first.hash);
    if (copy !== undefined) {
      return {
        file: file.name,
        line: 1,
        message: `is record ${first.seq}, with which ${copy} also begins: one of the files is a copy`,
      };
    }
    seen.set(file.identity, file.name).set(first.hash, file.name);
  }
  return null;
}
