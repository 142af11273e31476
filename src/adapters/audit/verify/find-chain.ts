import { basename } from 'node:path';
import type { LateChainStart, LeftOutFile, LossReason } from '../../../domain/model/audit-verdict.ts';
import { getSegmentPublicKey } from '../record/segment.ts';
import { EMPTY_CHAIN } from '../record/signed-record.ts';
import { parseSegmentName } from '../segments/segment-names.ts';
import { type ChainReport, CLOCK_TOLERANCE_MS } from './chain-report.ts';
import { Fault } from './fault.ts';
import { type InputFile, withoutCompression } from './input-files.ts';

/**
 * The chain that a file continues; null when it begins one. Files come in record order.
 * @param leftOut files that were not read, whose records are not missing
 * @throws Fault when records before it are missing or others
 */
export function findChain(
  { name, first: { seq, prevHash, instanceId, data } }: InputFile,
  chains: readonly ChainReport[],
  leftOut: readonly LeftOutFile[],
): ChainReport | null {
  if (seq === EMPTY_CHAIN.seq + 1) return null;
  const joined = chains.find(({ head }) => head?.seq === seq - 1 && head.hash === prevHash);
  if (joined !== undefined) return joined;
  const ofInstance = chains.filter((chain) => chain.hasInstance(instanceId));
  const key = getSegmentPublicKey(data);
  const ofKey = chains.filter((chain) => key !== null && chain.hasKey(key));
  const neighbour = [...ofInstance, ...ofKey].find(({ last }) => last.seq === seq - 1);
  if (neighbour !== undefined) throw new Fault(name, 1, formatMismatch(seq, neighbour));
  const before = nearestBefore(seq, ofInstance);
  const [overlapped] = ofInstance;
  if (before === undefined && overlapped !== undefined) throw new Fault(name, 1, formatOverlap(seq, overlapped));
  const gap = before ?? nearestBefore(seq, ofKey);
  if (gap === undefined || isLeftOut(leftOut, gap.last.seq + 1)) return null;
  const hint = '(if they belong to two instances with one audit key, verify each separately)';
  throw new Fault(name, 1, gap === before ? formatGap(seq, gap) : `${formatGap(seq, gap)} ${hint}`);
}

function nearestBefore(seq: number, chains: readonly ChainReport[]): ChainReport | undefined {
  return chains
    .filter(({ last }) => last.seq < seq - 1)
    .toSorted((left, right) => right.last.seq - left.last.seq)
    .at(0);
}

/** Whether a file that was not read begins with this record, by its name. */
function isLeftOut(leftOut: readonly LeftOutFile[], seq: number): boolean {
  return leftOut.some((left) => getFirstSeq(left) === seq);
}

/** By its name; null if it is no segment's. */
function getFirstSeq({ file }: LeftOutFile): number | null {
  return parseSegmentName(withoutCompression(basename(file)))?.firstSeq ?? null;
}

/**
 * Whether records of a file that was not read may be missing. The service deletes the oldest files,
 * before which nothing was read.
 * @param chains read to their ends
 */
export function isMissed(left: LeftOutFile, chains: readonly ChainReport[]): boolean {
  if (left.reason !== 'removed' || chains.length === 0) return true;
  return chains.some(({ last }) => last.seq + 1 === getFirstSeq(left));
}

function formatMismatch(seq: number, { lastFile }: ChainReport): string {
  return `is record ${seq}, but does not follow the end of ${lastFile.file}: one of the two files was altered or belongs to another chain (its prevHash is not the hash of record ${seq - 1})`;
}

function formatGap(seq: number, { last, lastFile }: ChainReport): string {
  const first = last.seq + 1;
  const missing = first === seq - 1 ? `record ${first} is` : `records ${first} to ${seq - 1} are`;
  return `is record ${seq}: ${missing} missing between ${lastFile.file} and this file`;
}

function formatOverlap(seq: number, { last, lastFile }: ChainReport): string {
  return `is record ${seq}, but the records of its instance in ${lastFile.file} already extend to record ${last.seq}: it repeats them or was spliced in`;
}

const LOSS_REASONS: ReadonlySet<unknown> = new Set<LossReason>(['missing', 'removed', 'truncated', 'changed']);

/**
 * Chains that begin after the end of another or after a loss. A late start is not a fault: older
 * files may be archived.
 * @param chains read to their ends
 * @param leftOut files that were not read, whose records are not missing
 */
export function findLateChainStarts(
  chains: readonly ChainReport[],
  leftOut: readonly LeftOutFile[],
): readonly LateChainStart[] {
  return chains.flatMap((chain) => {
    const { first, firstFile: file, firstReason } = chain;
    if (first.seq <= 1) return [];
    const previous = findPrevious(chain, chains);
    if (previous !== undefined && isLeftOut(leftOut, previous.last.seq + 1)) return [];
    const before = previous === undefined ? null : { file: previous.lastFile.file, lastSeq: previous.last.seq };
    const reason = isLossReason(firstReason) ? firstReason : null;
    return before === null && reason === null ? [] : [{ file, firstSeq: first.seq, reason, before }];
  });
}

/** The chain just before this one in number and time; one that overlaps is another service's. */
function findPrevious({ first }: ChainReport, chains: readonly ChainReport[]): ChainReport | undefined {
  const begin = Date.parse(first.time) + CLOCK_TOLERANCE_MS;
  return nearestBefore(
    first.seq,
    chains.filter(({ last }) => Date.parse(last.time) <= begin),
  );
}

function isLossReason(reason: unknown): reason is LossReason {
  return LOSS_REASONS.has(reason);
}
