import { basename, dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AuditFailure, AuditVerdict, AuditVerification } from '../../../domain/model/audit-verdict.ts';
import { readRecord } from '../record/read-record.ts';
import { EMPTY_CHAIN } from '../record/signed-record.ts';
import type { SegmentReader } from '../segments/segment-reader.ts';
import { ChainReport } from './chain-report.ts';
import { ExpectedCheckpoints } from './checkpoints.ts';
import { type ExternalCheckpoint, readExternalCheckpoints, readTrustedKey } from './external-files.ts';
import { Fault, toVerificationError } from './fault.ts';
import { findChain, findLateChainStarts, isMissed } from './find-chain.ts';
import { INCOMPLETE, type InputFile, InputFiles, PAUSE_MS } from './input-files.ts';

const LINE_TIMEOUT_MS = 1000;

/**
 * Verifies audit files in one pass and constant memory. Finds every modification of a signed chain:
 * lines changed, added, removed, moved or repeated; missing files; untrusted signatures; an end
 * truncated before a checkpoint. With trusted keys, an unsigned chain fails.
 * @param auditFile path of the service's audit file, used when no files are named
 * @param lineTimeoutMs how long to wait for the end of a line or group, milliseconds
 * @throws OperatorError when a file, key or checkpoint cannot be read
 */
export async function verifyAuditFiles(
  request: AuditVerification,
  auditFile: () => string,
  lineTimeoutMs = LINE_TIMEOUT_MS,
): Promise<AuditVerdict> {
  const { files, publicKeys, checkpoints } = request;
  const trustedKeys = publicKeys.length === 0 ? null : await Promise.all(publicKeys.map(readTrustedKey));
  const external: ExternalCheckpoint[] = [];
  // Sequential: there may be more than the limit on open files.
  for (const path of checkpoints) external.push(...(await readExternalCheckpoints(path)));
  const expected = new ExpectedCheckpoints(external);
  return await new Verification(request, trustedKeys, expected, lineTimeoutMs).run(files ?? auditFile());
}

/** Reads each file once, in record order, until the first fault. */
class Verification {
  readonly #request: AuditVerification;
  readonly #trustedKeys: readonly Buffer[] | null;
  readonly #expected: ExpectedCheckpoints;
  readonly #lineTimeoutMs: number;
  readonly #inputs: InputFiles;
  readonly #chains: ChainReport[] = [];
  #bytes = 0;

  /** @param trustedKeys 32 bytes each; null: those that the files name */
  constructor(
    request: AuditVerification,
    trustedKeys: readonly Buffer[] | null,
    expected: ExpectedCheckpoints,
    lineTimeoutMs: number,
  ) {
    this.#request = request;
    this.#trustedKeys = trustedKeys;
    this.#expected = expected;
    this.#lineTimeoutMs = lineTimeoutMs;
    this.#inputs = new InputFiles(lineTimeoutMs);
  }

  /** @param files paths, or the path of the service's audit file */
  async run(files: readonly string[] | string): Promise<AuditVerdict> {
    const issue = await this.#findIssue(files);
    const { notes } = this.#inputs;
    const leftOut = this.#inputs.leftOut.filter((file) => isMissed(file, this.#chains));
    return {
      issue,
      notes: [...notes, ...this.#chains.flatMap((chain) => chain.notes)],
      chains: this.#chains.map((chain) => chain.report()).filter((report) => report !== null),
      reached: this.#expected.reached,
      lateChainStarts: issue === null ? findLateChainStarts(this.#chains, leftOut) : [],
      leftOut,
      bytes: this.#bytes,
    };
  }

  async #findIssue(files: readonly string[] | string): Promise<AuditFailure | null> {
    try {
      if (typeof files === 'string') await this.#inputs.addSegments(dirname(resolve(files)), basename(files));
      else await this.#inputs.addPaths(files);
      await this.#verify();
      return null;
    } catch (error) {
      if (error instanceof Fault) return error.failure;
      throw error;
    }
  }

  /** @throws Fault for the first one; OperatorError when a file cannot be read */
  async #verify(): Promise<void> {
    const files = this.#inputs.order();
    const total = files.reduce((sum, { size }) => sum + size, 0);
    const continued = new Set(files.map(({ first }) => first.prevHash));
    let read = 0;
    for (const file of files) {
      const reader = await this.#inputs.open(file.path);
      if (reader === null) continue;
      try {
        await this.#readFile(reader, file, continued, (position) =>
          this.#request.onProgress?.({ verified: read + position, total: Math.max(total, read + position) }),
        );
      } finally {
        await reader.close();
      }
      read += file.size;
    }
    this.#expected.assertReached(this.#chains, this.#trustedKeys ?? this.#chains.flatMap((chain) => chain.publicKeys));
    if (this.#trustedKeys !== null) assertSigned(this.#chains);
  }

  /**
   * Reads a file to its end. Waits there for the rest of a line or group, but not for later ones.
   * @param continued hashes of records that other files continue
   */
  async #readFile(
    reader: SegmentReader,
    file: InputFile,
    continued: ReadonlySet<string | null>,
    onProgress: (position: number) => void,
  ): Promise<void> {
    const { name } = file;
    const chain = findChain(file, this.#chains, this.#inputs.leftOut) ?? this.#beginChain(file);
    const isComplete = () => chain.unsigned === 0 || continued.has(chain.head?.hash ?? null);
    let deadline: number | null = null;
    let line = 0;
    for (let end = 0; ; await setTimeout(PAUSE_MS)) {
      for await (const block of readBlocks(reader, name, end)) {
        for (const text of block.lines) {
          line += 1;
          this.#readLine(text, chain, name, line);
          if (deadline !== null && isComplete()) return;
        }
        this.#bytes += block.end - end;
        end = block.end;
        onProgress(reader.position);
      }
      const isWhole = reader.contentEnd === end && line > 0;
      if (isWhole && isComplete()) return;
      deadline ??= performance.now() + this.#lineTimeoutMs;
      if (!reader.isCompressed && performance.now() < deadline) continue;
      if (isWhole) return;
      throw new Fault(name, line + 1, INCOMPLETE);
    }
  }

  #beginChain({ first }: InputFile): ChainReport {
    const chain = new ChainReport(first.seq === EMPTY_CHAIN.seq + 1 ? EMPTY_CHAIN : null, this.#trustedKeys);
    this.#chains.push(chain);
    return chain;
  }

  #readLine(text: string | null, chain: ChainReport, name: string, line: number): void {
    const record = readRecord(text);
    if ('issue' in record) throw new Fault(name, line, record.issue);
    const issue = chain.accept(record, name, line);
    if (issue !== null) throw new Fault(name, line, issue);
    this.#expected.see(record, chain, name, line);
    this.#request.count?.(record);
  }
}

/** Blocks of lines from an offset on, bytes. @throws Fault for a damaged gzip file; OperatorError */
async function* readBlocks(reader: SegmentReader, name: string, from: number) {
  try {
    yield* reader.lines(from);
  } catch (error) {
    throw toVerificationError(name, error);
  }
}

/**
 * Naming a trusted key proves nothing.
 * @throws Fault for the first chain without a signature
 */
function assertSigned(chains: readonly ChainReport[]): void {
  for (const { isSigned, first, last, lastFile } of chains) {
    if (isSigned) continue;
    const records = last.seq - first.seq + 1;
    const [counted, them] = records === 1 ? ['1 record', 'it'] : [`${records} records`, 'them'];
    throw new Fault(
      lastFile.file,
      lastFile.lines,
      `ends a chain of ${counted} without a signature: any program that can write the file could have written ${them}. ` +
        'The service signs every record before acknowledging it',
    );
  }
}
