import { resolve } from 'node:path';
import type { LossReason, OpenStart } from '../../../domain/model/audit-verdict.ts';
import { type ChainReading, CLOCK_TOLERANCE_MS } from './chain-reading.ts';
import { coverRecords } from './compressed-files.ts';

const LOSS_REASONS: ReadonlySet<string> = new Set<LossReason>(['missing', 'removed', 'truncated', 'changed']);

/**
 * Chains before which records may be missing: those that begin behind the end of another, and those
 * whose first file was begun because of a loss. That a chain begins late is nothing by itself:
 * older files are deleted or archived.
 * @param chains all of which were read to their ends
 * @param leftOut paths of compressed files that were not read: what they hold by their names is not
 * missing
 */
export function findOpenStarts(chains: readonly ChainReading[], leftOut: readonly string[]): readonly OpenStart[] {
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

/**
 * The chain that ends last of those that end before this one by their numbers and their times. One
 * that went on while this one was written is of another service.
 */
function findPrevious(chain: ChainReading, chains: readonly ChainReading[]): ChainReading | undefined {
  const begin = Date.parse(chain.firstTime) + CLOCK_TOLERANCE_MS;
  return chains
    .filter(({ lastSeq, lastTime }) => lastSeq < chain.firstSeq - 1 && Date.parse(lastTime) <= begin)
    .toSorted((left, right) => right.lastSeq - left.lastSeq)
    .at(0);
}

function isLossReason(reason: string | null): reason is LossReason {
  return reason !== null && LOSS_REASONS.has(reason);
}
