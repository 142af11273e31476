import { basename } from 'node:path';
import {
  type LateChainStart,
  type LeftOutFile,
  LOSS_REASONS,
  type RecordPosition,
} from '../../../domain/model/audit-verdict.ts';
import { compareWith, formatRecords } from '../record/chain-verifier.ts';
import { getSegmentPublicKey } from '../record/segment.ts';
import { EMPTY_CHAIN } from '../record/signed-record.ts';
import { parseSegmentName } from '../segments/segment-names.ts';
import { type ChainReport, CLOCK_TOLERANCE_MS } from './chain-report.ts';
import { Fault } from './failures.ts';
import type { InputFile } from './input-files.ts';

/**
 * The chain that a file continues; null when it begins one. Files come in record order.
 * @param leftOut files that were not read, whose records are not missing
 * @throws Fault when records before it are missing or others
 */
export function findChain(
  { name, first }: InputFile,
  chains: readonly ChainReport[],
  leftOut: readonly LeftOutFile[],
): ChainReport | null {
  const { seq, instanceId, data } = first;
  if (seq === EMPTY_CHAIN.seq + 1) return null;
  const followed = chains.find(({ verifier }) => compareWith(first, verifier.last) === 'follows');
  if (followed !== undefined) return followed;
  const key = getSegmentPublicKey(data);
  const missing = ({ verifier }: ChainReport) => seq - 1 - verifier.last.seq;
  const isOwn = (chain: ChainReport) => chain.hasInstance(instanceId);
  const hasKey = (chain: ChainReport) => key !== null && chain.hasKey(key);
  const nearest = chains.toSorted((left, right) => missing(left) - missing(right));
  const likeliest =
    nearest.find((chain) => missing(chain) === 0 && isOwn(chain)) ??
    nearest.find((chain) => missing(chain) === 0 && hasKey(chain)) ??
    nearest.find((chain) => missing(chain) > 0 && isOwn(chain)) ??
    nearest.find(isOwn) ??
    nearest.find((chain) => missing(chain) > 0 && hasKey(chain));
  if (likeliest === undefined) return null;
  const { last } = likeliest.verifier;
  if (missing(likeliest) > 0 && isLeftOut(leftOut, last.seq + 1)) return null;
  const issue = formatIssue(seq, last.seq, likeliest.lastFile.file);
  const isGuess = missing(likeliest) > 0 && !isOwn(likeliest);
  const hint = ' (if they belong to two instances with one audit key, verify each separately)';
  throw new Fault(name, 1, isGuess ? `${issue}${hint}` : issue);
}

function formatIssue(seq: number, lastSeq: number, file: string): string {
  if (lastSeq === seq - 1)
    return `is record ${seq}, but does not follow the end of ${file}: one of the two files was altered or belongs to another chain (its prevHash is not the hash of record ${lastSeq})`;
  if (lastSeq < seq)
    return `is record ${seq}: ${formatRecords(lastSeq + 1, seq - 1)} missing between ${file} and this file`;
  return `is record ${seq}, but the records of its instance in ${file} already extend to record ${lastSeq}: it repeats them or was spliced in`;
}

/** Whether a file that was not read begins with this record, by its name. */
function isLeftOut(leftOut: readonly LeftOutFile[], seq: number): boolean {
  return leftOut.some((left) => getFirstSeq(left) === seq);
}

/** By its name; null if it is no segment's. */
function getFirstSeq({ file }: LeftOutFile): number | null {
  return parseSegmentName(basename(file))?.firstSeq ?? null;
}

/**
 * Whether records of a file that was not read may be missing. The service deletes the oldest files,
 * before which nothing was read.
 * @param chains read to their ends
 */
export function isMissed(left: LeftOutFile, chains: readonly ChainReport[]): boolean {
  if (left.reason !== 'removed' || chains.length === 0) return true;
  return chains.some(({ verifier }) => verifier.last.seq + 1 === getFirstSeq(left));
}

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
  return chains.flatMap(({ verifier: { first }, firstFile }) => {
    if (first.seq <= 1) return [];
    const previous = findPrevious(first, chains);
    const lastSeq = previous?.verifier.last.seq ?? 0;
    if (previous !== undefined && isLeftOut(leftOut, lastSeq + 1)) return [];
    const before = previous === undefined ? null : { file: previous.lastFile.file, lastSeq };
    const reason = LOSS_REASONS.find((loss) => loss === firstFile.first.data?.['reason']) ?? null;
    return before === null && reason === null ? [] : [{ file: firstFile.name, firstSeq: first.seq, reason, before }];
  });
}

/** The chain just before a record in number and time; one that overlaps is another service's. */
function findPrevious({ seq, time }: RecordPosition, chains: readonly ChainReport[]): ChainReport | undefined {
  const begin = Date.parse(time) + CLOCK_TOLERANCE_MS;
  return chains
    .filter(({ verifier: { last } }) => last.seq < seq - 1 && Date.parse(last.time) <= begin)
    .toSorted((left, right) => right.verifier.last.seq - left.verifier.last.seq)
    .at(0);
}
