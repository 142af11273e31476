import type { AuditFailure, AuditVerdict, AuditVerification } from '../../../domain/model/audit-verdict.ts';
import { ChainReport } from './chain-report.ts';
import { ExpectedCheckpoints } from './checkpoints.ts';
import { type ExternalCheckpoint, readExternalCheckpoints, readTrustedKey } from './external-files.ts';
import { Fault } from './failures.ts';
import { findChain, findLateChainStarts, isMissed } from './find-chain.ts';
import { InputFiles } from './input-files.ts';
import { INCOMPLETE, settledLines } from './settled-lines.ts';

const LINE_TIMEOUT_MS = 1000;

/** State of a verification. */
interface Verification {
  readonly request: AuditVerification;
  /** 32 bytes each; null: those that the files name. */
  readonly trustedKeys: readonly Buffer[] | null;
  readonly lineTimeoutMs: number;
  readonly expected: ExpectedCheckpoints;
  readonly inputs: InputFiles;
  readonly chains: ChainReport[];
  bytes: number;
}

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
  const { publicKeys, checkpoints } = request;
  const trustedKeys = publicKeys.length === 0 ? null : await Promise.all(publicKeys.map(readTrustedKey));
  const external: ExternalCheckpoint[] = [];
  // Sequential: there may be more than the limit on open files.
  for (const path of checkpoints) external.push(...(await readExternalCheckpoints(path)));
  const expected = new ExpectedCheckpoints(external);
  const inputs = new InputFiles(lineTimeoutMs);
  const chains: ChainReport[] = [];
  const state = { request, trustedKeys, lineTimeoutMs, expected, inputs, chains, bytes: 0 };
  const issue = await findIssue(state, auditFile);
  const leftOut = inputs.leftOut.filter((file) => isMissed(file, chains));
  return {
    issue,
    notes: [...inputs.notes, ...chains.flatMap((chain) => chain.notes)],
    chains: chains.map((chain) => chain.report()).filter((report) => report !== null),
    reached: chains.flatMap(({ reached }) => [...reached.values()]),
    lateChainStarts: issue === null ? findLateChainStarts(chains, leftOut) : [],
    leftOut,
    bytes: state.bytes,
  };
}

/** Reads all files until the first fault. @throws OperatorError when a file cannot be read */
async function findIssue(state: Verification, auditFile: () => string): Promise<AuditFailure | null> {
  const { request, trustedKeys, expected, inputs, chains } = state;
  try {
    if (request.files === null) await inputs.addSegmentsOf(auditFile());
    else await inputs.addPaths(request.files);
    await readFiles(state);
    expected.assertReached(chains, trustedKeys ?? chains.flatMap(({ publicKeys }) => publicKeys));
    if (trustedKeys !== null) assertSigned(chains);
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.failure;
    throw error;
  }
}

/**
 * Reads each file once, in record order. Waits at its end for the rest of a line or group, but not
 * for later ones.
 */
async function readFiles(state: Verification): Promise<void> {
  const { request, trustedKeys, lineTimeoutMs, expected, inputs, chains } = state;
  const files = inputs.order();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const continued = new Set(files.map(({ first }) => first.prevHash));
  let read = 0;
  for (const file of files) {
    const reader = await inputs.open(file.path);
    if (reader === null) continue;
    try {
      const chain = findChain(file, chains, inputs.leftOut) ?? new ChainReport(file, trustedKeys);
      if (!chains.includes(chain)) chains.push(chain);
      const { verifier } = chain;
      const isComplete = () => verifier.unsigned === 0 || continued.has(verifier.last.hash);
      let line = 0;
      for await (const lines of settledLines(reader, file.name, lineTimeoutMs, isComplete)) {
        for (const { text } of lines) {
          line += 1;
          const record = chain.accept(text, file.name, line);
          expected.see(record, chain);
          request.count?.(record);
        }
        const verified = read + reader.position;
        request.onProgress?.({ verified, total: Math.max(total, verified) });
      }
      if (line === 0) throw new Fault(file.name, 1, INCOMPLETE);
    } finally {
      state.bytes += reader.contentEnd;
      await reader.close();
    }
    read += file.size;
  }
}

/**
 * Naming a trusted key proves nothing.
 * @throws Fault for the first chain without a signature
 */
function assertSigned(chains: readonly ChainReport[]): void {
  for (const chain of chains) {
    const { first, last, signatures } = chain.verifier;
    if (signatures > 0) continue;
    const records = last.seq - first.seq + 1;
    const [counted, them] = records === 1 ? ['1 record', 'it'] : [`${records} records`, 'them'];
    throw chain.faultAt(
      last.seq,
      `ends a chain of ${counted} without a signature: any program that can write the file could have written ${them}. ` +
        'The service signs every record before acknowledging it',
    );
  }
}
