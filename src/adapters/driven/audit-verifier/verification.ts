import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import type { AuditFault, AuditVerdict, AuditVerification } from '../../../ports/audit-verifier.ts';
import type { ChainReading } from './chain-reading.ts';
import type { ExpectedCheckpoints } from './expected-checkpoints.ts';
import { findPlace } from './find-place.ts';
import type { GivenFile, VerifiableBlock } from './given-file.ts';
import { unreadable } from './input-error.ts';
import { type OpenedSegment, readSegments, UNFINISHED } from './opened-segment.ts';

/** What a {@link Verification} goes by. */
export interface VerificationBasis extends Pick<AuditVerification, 'count' | 'onProgress'> {
  readonly files: readonly GivenFile[];
  /** Keys (32 bytes each) that may sign; null: whichever the files name. */
  readonly trustedKeys: readonly Buffer[] | null;
  readonly expected: ExpectedCheckpoints;
}

/** Reads files once, in the order of their records, until something is not in order. */
export class Verification {
  readonly #basis: VerificationBasis;
  readonly #chains: ChainReading[] = [];
  #bytes = 0;
  #total = 0;

  constructor(basis: VerificationBasis) {
    this.#basis = basis;
  }

  /** @throws AuditInputError when a file can't be read to its end */
  async run(): Promise<AuditVerdict> {
    const fault = await this.#findFault();
    return {
      fault,
      chains: this.#chains.map((chain) => chain.report()).filter((report) => report !== null),
      reached: this.#basis.expected.reached,
      bytes: this.#bytes,
    };
  }

  async #findFault(): Promise<AuditFault | null> {
    const { files, trustedKeys, expected } = this.#basis;
    const segments = await readSegments(files);
    if ('message' in segments) return segments;
    this.#total = files.reduce((sum, { size }) => sum + size, 0);
    for (const segment of segments) {
      const place = findPlace(segment, this.#chains, trustedKeys);
      if ('message' in place) return place;
      if (!this.#chains.includes(place)) this.#chains.push(place);
      const fault = await this.#readFile(segment, place);
      if (fault !== null) return fault;
    }
    const keys = trustedKeys ?? this.#chains.flatMap(({ publicKeys }) => publicKeys);
    return expected.findForgery(keys) ?? expected.findMissing(this.#chains);
  }

  async #readFile({ file }: OpenedSegment, chain: ChainReading): Promise<AuditFault | null> {
    const blocks = file.blocks();
    for (let line = 0; ; ) {
      const block = await nextBlock(file, blocks);
      if (typeof block === 'boolean') return block ? null : { file: file.name, line: line + 1, message: UNFINISHED };
      for (const text of block.lines) {
        line += 1;
        const message = this.#findFaultIn(text, chain, file.name, line);
        if (message !== null) return { file: file.name, line, message };
      }
      this.#bytes += block.bytes;
      this.#basis.onProgress?.({ verified: this.#bytes, total: Math.max(this.#total, this.#bytes) });
    }
  }

  #findFaultIn(text: string | null, chain: ChainReading, file: string, line: number): string | null {
    const record = text === null ? NO_RECORD : readRecord(text);
    if ('fault' in record) return record.fault;
    const fault = chain.accept(record, file, line);
    if (fault === null) this.#take(record, chain, file, line);
    return fault;
  }

  #take(record: ReadRecord, chain: ChainReading, file: string, line: number): void {
    this.#basis.expected.see(record, chain, file, line);
    this.#basis.count?.(record);
  }
}

const NO_RECORD = { fault: 'is not an audit record' };

/** The next block; behind the last one, whether the last line has its end. */
async function nextBlock(
  file: GivenFile,
  blocks: AsyncGenerator<VerifiableBlock, boolean>,
): Promise<VerifiableBlock | boolean> {
  try {
    return (await blocks.next()).value;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable('audit file', file.name, error) : error;
  }
}
