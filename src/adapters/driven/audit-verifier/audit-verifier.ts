import type { AuditVerdict, AuditVerification } from '../../../domain/model/audit-verdict.ts';
import { ExpectedCheckpoints } from './expected-checkpoints.ts';
import { lookAtFiles, lookAtOwnFiles } from './given-files.ts';
import { type OutsideCheckpoint, readOutsideCheckpoints } from './outside-checkpoint.ts';
import { readTrustedKey } from './trusted-key.ts';
import { Verification } from './verification.ts';

/** How long a line without an end is waited for: a running service may be writing it. Milliseconds. */
const PATIENCE_MS = 1000;

/** What a {@link AuditVerifier} is made of. */
export interface AuditVerifierOptions {
  /** Path of the service's audit file; asked for when no files are named. */
  readonly auditFile: () => string;
  /** How long a line without an end is waited for, milliseconds (default: 1000). */
  readonly patienceMs?: number;
}

/**
 * Tells whether audit files are as the service wrote them, by reading each of them once, a mebibyte
 * at a time. It finds every alteration of a signed chain: of a line, of lines added, taken out,
 * moved or repeated, of files missing between two others; signatures that no trusted key made; and
 * a missing end, when it is given a checkpoint that covers it. It names the first such place.
 * With given keys, a chain without a signature does not pass. It changes no file, and waits for a
 * group commit that is just being written.
 */
export class AuditVerifier {
  readonly #auditFile: () => string;
  readonly #patienceMs: number;

  constructor({ auditFile, patienceMs = PATIENCE_MS }: AuditVerifierOptions) {
    this.#auditFile = auditFile;
    this.#patienceMs = patienceMs;
  }

  /** @throws OperatorError when a file, key or checkpoint can't be read */
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
