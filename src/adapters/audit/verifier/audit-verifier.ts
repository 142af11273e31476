import type { AuditFailure, AuditNote, AuditVerdict, AuditVerification } from '../../../domain/model/audit-verdict.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import type { ChainReport } from './chain-report.ts';
import {
  ExpectedCheckpoints,
  type ExternalCheckpoint,
  readExternalCheckpoints,
  readTrustedKey,
} from './checkpoints.ts';
import { findChain, findLateChainStarts, orderSegments, type SegmentFile } from './find-chain.ts';
import { type InputFiles, inspectFiles, inspectOwnFiles } from './input-files.ts';
import { reopenFile } from './open-audit-file.ts';
import { toReadError } from './read-error.ts';
import { INCOMPLETE, type VerifiableBlock, type VerifiableFile } from './verifiable-file.ts';

/** The first chain without a signature or checkpoint: naming a trusted key proves nothing. */
function findUnsigned(chains: readonly ChainReport[]): AuditFailure | null {
  const unsigned = chains.find((chain) => !chain.isSigned);
  if (unsigned === undefined) return null;
  const { lastFile, firstSeq, lastSeq } = unsigned;
  const records = lastSeq - firstSeq + 1;
  const [counted, them] = records === 1 ? ['1 record', 'it'] : [`${records} records`, 'them'];
  return {
    file: lastFile.file,
    line: lastFile.lines,
    message:
      `ends a chain of ${counted} without a signature: any program that can write the file could have written ${them}. ` +
      'The service signs every record before acknowledging it',
  };
}

interface VerificationBasis extends Pick<AuditVerification, 'count' | 'onProgress'> {
  readonly inputs: InputFiles;
  /** Trusted keys (32 bytes each); null: those that the files name. */
  readonly trustedKeys: readonly Buffer[] | null;
  readonly expected: ExpectedCheckpoints;
  /** How long to wait for the end of a line, milliseconds. */
  readonly lineTimeoutMs: number;
}

/** Reads each file once, in record order, until the first issue. */
export class Verification {
  readonly #basis: VerificationBasis;
  readonly #chains: ChainReport[] = [];
  #notes: readonly AuditNote[];
  #bytes = 0;
  #read = 0;
  #total = 0;

  constructor(basis: VerificationBasis) {
    this.#basis = basis;
    this.#notes = basis.inputs.notes;
  }

  /** @throws OperatorError when a file cannot be read to its end */
  async run(): Promise<AuditVerdict> {
    const issue = await this.#findIssue();
    return {
      issue: issue,
      notes: [...this.#notes, ...this.#chains.flatMap(({ notes }) => notes)],
      chains: this.#chains.map((chain) => chain.report()).filter((report) => report !== null),
      reached: this.#basis.expected.reached,
      lateChainStarts: issue === null ? findLateChainStarts(this.#chains, this.#basis.inputs.leftOut) : [],
      leftOut: this.#basis.inputs.leftOut,
      bytes: this.#bytes,
    };
  }

  async #findIssue(): Promise<AuditFailure | null> {
    const { inputs, trustedKeys, expected } = this.#basis;
    const ordered = orderSegments(inputs.files);
    if ('message' in ordered) return ordered;
    this.#notes = [...this.#notes, ...ordered.notes];
    this.#total = inputs.files.reduce((sum, { size }) => sum + size, 0);
    for (const segment of ordered.segments) {
      const chain = findChain(segment, this.#chains, inputs.leftOut, trustedKeys);
      if ('message' in chain) return chain;
      if (!this.#chains.includes(chain)) this.#chains.push(chain);
      const isContinued = () => ordered.segments.some(({ first }) => first.prevHash === chain.head?.hash);
      const issue = await this.#readSegment(segment, chain, isContinued);
      if (issue !== null) return issue;
    }
    const keys = trustedKeys ?? this.#chains.flatMap(({ publicKeys }) => publicKeys);
    return (
      expected.findForgery(keys) ??
      expected.findMissing(this.#chains) ??
      (trustedKeys === null ? null : findUnsigned(this.#chains))
    );
  }

  /** @param isContinued whether another file continues the chain */
  async #readSegment(
    segment: SegmentFile,
    chain: ChainReport,
    isContinued: () => boolean,
  ): Promise<AuditFailure | null> {
    const file = await reopenFile(segment, this.#basis.lineTimeoutMs);
    try {
      return await this.#readFile(file, chain, () => chain.unsigned === 0 || isContinued());
    } finally {
      await file.close();
    }
  }

  async #readFile(file: VerifiableFile, chain: ChainReport, isComplete: () => boolean): Promise<AuditFailure | null> {
    const blocks = file.blocks(isComplete);
    for (let line = 0; ; ) {
      const block = await nextBlock(file, blocks);
      if (block === null) return null;
      if (typeof block === 'string') {
        return { file: file.name, line: block === INCOMPLETE ? line + 1 : null, message: block };
      }
      for (const text of block.lines) {
        line += 1;
        const message = this.#findLineIssue(text, chain, file.name, line);
        if (message !== null) return { file: file.name, line, message };
      }
      this.#bytes += block.bytes;
      this.#read += block.read;
      this.#basis.onProgress?.({ verified: this.#read, total: Math.max(this.#total, this.#read) });
    }
  }

  #findLineIssue(text: string | null, chain: ChainReport, file: string, line: number): string | null {
    const record = readRecord(text);
    if ('issue' in record) return record.issue;
    const issue = chain.accept(record, file, line);
    if (issue === null) this.#take(record, chain, file, line);
    return issue;
  }

  #take(record: ReadRecord, chain: ChainReport, file: string, line: number): void {
    this.#basis.expected.see(record, chain, file, line);
    this.#basis.count?.(record);
  }
}

/** The next block; at the end, the issue of the rest or null. */
async function nextBlock(
  file: VerifiableFile,
  blocks: AsyncGenerator<VerifiableBlock, string | null>,
): Promise<VerifiableBlock | string | null> {
  try {
    return (await blocks.next()).value;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? toReadError('audit file', file.name, error) : error;
  }
}

const LINE_TIMEOUT_MS = 1000;

interface AuditVerifierOptions {
  /** Path of the service's audit file, used when no files are named. */
  readonly auditFile: () => string;
  /** How long to wait for the end of a line, milliseconds (default: 1000). */
  readonly lineTimeoutMs?: number;
}

/**
 * Verifies audit files in one pass and constant memory. Finds every modification of a signed chain:
 * lines changed, added, removed, moved or repeated; missing files; untrusted signatures; an end
 * truncated before a checkpoint. With trusted keys, an unsigned chain fails.
 */
export class AuditVerifier {
  readonly #auditFile: () => string;
  readonly #lineTimeoutMs: number;

  constructor({ auditFile, lineTimeoutMs = LINE_TIMEOUT_MS }: AuditVerifierOptions) {
    this.#auditFile = auditFile;
    this.#lineTimeoutMs = lineTimeoutMs;
  }

  /** @throws OperatorError when a file, key or checkpoint cannot be read */
  async verify(verification: AuditVerification): Promise<AuditVerdict> {
    const { publicKeys, checkpoints, count, onProgress } = verification;
    const trustedKeys = publicKeys.length === 0 ? null : await Promise.all(publicKeys.map(readTrustedKey));
    const expected = new ExpectedCheckpoints(await readAll(checkpoints));
    const lineTimeoutMs = this.#lineTimeoutMs;
    const inputs =
      verification.files === null
        ? await inspectOwnFiles(this.#auditFile(), lineTimeoutMs)
        : await inspectFiles(verification.files, lineTimeoutMs);
    return await new Verification({ inputs, trustedKeys, expected, count, onProgress, lineTimeoutMs }).run();
  }
}

/** Sequential: there may be more than the limit on open files. */
async function readAll(paths: readonly string[]): Promise<readonly ExternalCheckpoint[]> {
  const checkpoints: ExternalCheckpoint[] = [];
  for (const path of paths) checkpoints.push(...(await readExternalCheckpoints(path)));
  return checkpoints;
}
