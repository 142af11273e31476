import type { AuditVerdict, AuditVerification, AuditVerifier } from '../../../ports/audit-verifier.ts';
import { ExpectedCheckpoints } from './expected-checkpoints.ts';
import { lookAtFiles, lookAtOwnFiles } from './given-files.ts';
import { type OutsideCheckpoint, readOutsideCheckpoints } from './outside-checkpoint.ts';
import { readTrustedKey } from './trusted-key.ts';
import { Verification } from './verification.ts';

/** How long a line without an end is waited for: a running service may be writing it. Milliseconds. */
const PATIENCE_MS = 1000;

/** What a {@link FileAuditVerifier} is made of. */
export interface FileAuditVerifierOptions {
  /** Path of the service's audit file; asked for when no files are named. */
  readonly auditFile: () => string;
  /** How long a line without an end is waited for, milliseconds (default: 1000). */
  readonly patienceMs?: number;
}

/** Verifies audit files by reading each of them once, a mebibyte at a time. */
export class FileAuditVerifier implements AuditVerifier {
  readonly #auditFile: () => string;
  readonly #patienceMs: number;

  constructor({ auditFile, patienceMs = PATIENCE_MS }: FileAuditVerifierOptions) {
    this.#auditFile = auditFile;
    this.#patienceMs = patienceMs;
  }

  async verify(verification: AuditVerification): Promise<AuditVerdict> {
    const { publicKeys, checkpoints, count, onProgress } = verification;
    const trustedKeys = publicKeys.length === 0 ? null : await Promise.all(publicKeys.map(readTrustedKey));
    const expected = new ExpectedCheckpoints(await readAll(checkpoints));
    const patienceMs = this.#patienceMs;
    const given =
      verification.files === null
        ? await lookAtOwnFiles(this.#auditFile(), patienceMs)
        : await lookAtFiles(verification.files, patienceMs);
    return await new Verification({ given, trustedKeys, expected, count, onProgress, patienceMs }).run();
  }
}

/** One file after the other: there may be more of them than files may be open. */
async function readAll(paths: readonly string[]): Promise<readonly OutsideCheckpoint[]> {
  const checkpoints: OutsideCheckpoint[] = [];
  for (const path of paths) checkpoints.push(...(await readOutsideCheckpoints(path)));
  return checkpoints;
}
