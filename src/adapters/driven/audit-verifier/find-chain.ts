import { EMPTY_CHAIN } from '../../../audit-trail/audit-record.ts';
import { ChainVerifier } from '../../../audit-trail/chain-verifier.ts';
import type { AuditFault } from '../../../domain/model/audit-verdict.ts';
import { ChainReading } from './chain-reading.ts';
import { coverRecords } from './compressed-files.ts';
import type { Segment } from './segments.ts';

/**
 * The chain that a file belongs to, which is one of those that were read so far or a new one. Files come in the order of their first records.
 * @param leftOut paths of compressed files that are not read: records that they hold by their names
 * are no gap
 * @param trustedKeys keys (32 bytes each) that may sign; null: whichever the files name
 * @returns what is wrong when it belongs to none
 */
export function findChain(
  segment: Segment,
  chains: readonly ChainReading[],
  leftOut: readonly string[],
  trustedKeys: readonly Buffer[] | null,
): ChainReading | AuditFault {
  const { seq, prevHash } = segment.first;
  if (seq === EMPTY_CHAIN.seq + 1) return new ChainReading(new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys }));
  const joined = chains.find(({ head }) => head?.seq === seq - 1 && head.hash === prevHash);
  const message = joined === undefined ? findBreak(segment, chains, leftOut) : null;
  if (message !== null) return { file: segment.file.name, line: 1, message };
  return joined ?? new ChainReading(new ChainVerifier({ head: null, trustedKeys }));
}

/** What is wrong when the records before a file should be in a chain that was read, and are not. */
function findBreak(
  { file, first, key }: Segment,
  chains: readonly ChainReading[],
  leftOut: readonly string[],
): string | null {
  const { seq } = first;
  const ofInstance = chains.filter((chain) => chain.hasInstance(first.instanceId));
  const ofKey = chains.filter((chain) => key !== null && chain.hasKey(key));
  const kin = [...ofInstance, ...ofKey];
  const neighbour = kin.find((chain) => chain.lastSeq === seq - 1);
  if (neighbour !== undefined) return strangerText(seq, neighbour);
  const before = nearestBefore(seq, ofInstance);
  if (before !== undefined)
    return coverRecords(leftOut, file.path, before.lastSeq + 1, seq - 1) ? null : gapText(seq, before);
  const [overlapped] = ofInstance;
  if (overlapped !== undefined) return overlapText(seq, overlapped);
  const beforeOfKey = nearestBefore(seq, ofKey);
  if (beforeOfKey === undefined) return null;
  return `${gapText(seq, beforeOfKey)} (if they are of two instances with one audit key, verify each by itself)`;
}

function nearestBefore(seq: number, chains: readonly ChainReading[]): ChainReading | undefined {
  return chains
    .filter((chain) => chain.lastSeq < seq - 1)
    .toSorted((left, right) => right.lastSeq - left.lastSeq)
    .at(0);
}

function strangerText(seq: number, { lastFile }: ChainReading): string {
  return `is record ${seq}, and does not follow the end of ${lastFile.file}: one of the two files was altered, or is of another chain (its prevHash is not the hash of record ${seq - 1})`;
}

function gapText(seq: number, chain: ChainReading): string {
  const first = chain.lastSeq + 1;
  const missing = first === seq - 1 ? `record ${first} is` : `records ${first} to ${seq - 1} are`;
  return `is record ${seq}: ${missing} missing between ${chain.lastFile.file} and this file`;
}

function overlapText(seq: number, chain: ChainReading): string {
  return `is record ${seq}, but the records of its instance in ${chain.lastFile.file} reach to ${chain.lastSeq}: it repeats them or is spliced`;
}
