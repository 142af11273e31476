import { OperatorError } from '../../../../domain/model/errors.ts';
import { isMissingFile, KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { withSeedFile } from '../../../../secure-memory/seed-file.ts';

/** What resolves most failures of the audit key. */
export const INIT_ADVICE = 'run `signing-service init`, which makes only what is missing';

/**
 * Lends the seed in an audit key file, 32 bytes in locked memory, wiped however `use` ends. What such a file holds, and who may read it, is what every key file of this service has in common (`seed-file.ts`).
 *
 * @throws OperatorError when it is missing, holds something else, or can be read by more users than
 * it has to be
 * @throws MemoryLockError when memory for it can't be locked
 */
export function withAuditSeed<Result>(file: string, use: (seed: Buffer) => Result): Result {
  try {
    return withSeedFile(file, 'the audit key', use);
  } catch (error) {
    throw toOperatorError(error);
  }
}

function toOperatorError(error: unknown): unknown {
  if (!(error instanceof KeyFileError)) return error;
  const remedy = isMissingFile(error)
    ? `Restore it, or set SIGNING_AUDIT_KEY_FILE to where it is; if there never was one, ${INIT_ADVICE}.`
    : `Mend it, or set SIGNING_AUDIT_KEY_FILE to another; where it is lost, move it and its .pub aside and ${INIT_ADVICE}.`;
  return new OperatorError(`The audit key can not be read: ${error.message}. ${remedy}`, { cause: error });
}
