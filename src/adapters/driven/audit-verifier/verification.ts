import { NOT_A_RECORD, type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import type { AuditFault, AuditNote, AuditVerdict, AuditVerification } from '../../../domain/model/audit-verdict.ts';
import type { ChainReading } from './chain-reading.ts';
import type { ExpectedCheckpoints } from './expected-checkpoints.ts';
import { findChain } from './find-chain.ts';
import { UNFINISHED } from './given-file.ts';
import type { GivenFiles } from './given-files.ts';
import { unreadable } from './input-error.ts';
import { openAgain } from './open-again.ts';
import type { OpenAuditFile, VerifiableBlock } from './open-audit-file.ts';
import { findOpenStarts } from './open-starts.ts';
import { orderSegments, type Segment } from './segments.ts';
import { findUnsigned } from './unsigned-chain.ts';

/** What a {@link Verification} goes by. */
export interface VerificationBasis extends Pick<AuditVerification, 'count' | 'onProgress'> {
  readonly given: GivenFiles;
  /** Keys (32 bytes each) that may sign; null: whichever the files name. */
  readonly trustedKeys: readonly Buffer[] | null;
  readonly expected: ExpectedCheckpoints;
  /** How long a line without an end is waited for, milliseconds. */
  readonly patienceMs: number;
}

/** Reads files once, one at a time, in the order of their records, until something is not in order. */
export class Verification {
  readonly #basis: VerificationBasis;
  readonly #chains: ChainReading[] = [];
  #notes: readonly AuditNote[];
  #bytes = 0;
  #total = 0;

  constructor(basis: VerificationBasis) {
    this.#basis = basis;
    this.#notes = basis.given.notes;
  }

  /** @throws OperatorError when a file can't be read to its end */
  async run(): Promise<AuditVerdict> {
    const fault = await this.#findFault();
    return {
      fault,
      notes: [...this.#notes, ...this.#chains.flatMap(({ notes }) => notes)],
      chains: this.#chains.map((chain) => chain.report()).filter((report) => report !== null),
      reached: this.#basis.expected.reached,
      openStarts: fault === null ? findOpenStarts(this.#chains, this.#basis.given.leftOut) : [],
      leftOut: this.#basis.given.leftOut,
      bytes: this.#bytes,
    };
  }

  async #findFault(): Promise<AuditFault | null> {
    const { given, trustedKeys, expected } = this.#basis;
    const ordered = orderSegments(given.files);
    if ('message' in ordered) return ordered;
    this.#notes = [...this.#notes, ...ordered.notes];
    this.#total = given.files.reduce((sum, { size }) => sum + size, 0);
    for (const segment of ordered.segments) {
      const chain = findChain(segment, this.#chains, given.leftOut, trustedKeys);
      if ('message' in chain) return chain;
      if (!this.#chains.includes(chain)) this.#chains.push(chain);
      const isContinued = () => ordered.segments.some(({ first }) => first.prevHash === chain.head?.hash);
      const fault = await this.#readSegment(segment, chain, isContinued);
      if (fault !== null) return fault;
    }
    const keys = trustedKeys ?? this.#chains.flatMap(({ publicKeys }) => publicKeys);
    return (
      expected.findForgery(keys) ??
      expected.findMissing(this.#chains) ??
      (trustedKeys === null ? null : findUnsigned(this.#chains))
    );
  }

  /**
   * @param isContinued whether another file goes on behind the last record, so that nothing is
   * being written to this one
   */
  async #readSegment(segment: Segment, chain: ChainReading, isContinued: () => boolean): Promise<AuditFault | null> {
    const file = await openAgain(segment, this.#basis.patienceMs);
    try {
      return await this.#readFile(file, chain, () => chain.unsigned === 0 || isContinued());
    } finally {
      await file.close();
    }
  }

  async #readFile(file: OpenAuditFile, chain: ChainReading, isSettled: () => boolean): Promise<AuditFault | null> {
    const blocks = file.blocks(isSettled);
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
    const record = text === null ? NOT_A_RECORD : readRecord(text);
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

/** The next block; behind the last one, whether the last line has its end. */
async function nextBlock(
  file: OpenAuditFile,
  blocks: AsyncGenerator<VerifiableBlock, boolean>,
): Promise<VerifiableBlock | boolean> {
  try {
    return (await blocks.next()).value;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable('audit file', file.name, error) : error;
  }
}
