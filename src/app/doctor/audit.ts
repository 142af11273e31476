import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AuditKey, getPublicKeyFile, hasPublicKeyFile } from '../../adapters/audit/audit-key.ts';
import { openError } from '../../adapters/audit/file/audit-file-error.ts';
import { nodeFileOperations } from '../../adapters/audit/file/file-operations.ts';
import { assertOneLineEach, findTruncatedTail, verifyTail } from '../../adapters/audit/file/file-tail.ts';
import { readFirstRecord } from '../../adapters/audit/file/open-segment.ts';
import { UnsuitableFileError, withRegularFile } from '../../adapters/files/open-regular-file.ts';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { type Finding, fail, ok, warning } from '../../adapters/machine/finding.ts';
import { MemoryLockError } from '../../adapters/vault/locked-buffer.ts';
import { AuditUnavailableError, OperatorError } from '../../domain/model/errors.ts';
import { guardedAuditFile } from './guarded-files.ts';

/**
 * Checks with the audit sink's own code whether the service would accept this file, and its access
 * rights. Changes nothing and takes no lock, so it does not notice a running service.
 */
export async function checkAuditFile(file: string): Promise<readonly Finding[]> {
  const path = resolve(file);
  const result = await examineTail(path);
  if (result instanceof AuditUnavailableError) {
    return [fail('audit-file', result.message, 'The service does not start until this is fixed.')];
  }
  const access = checkFileAccess(guardedAuditFile(file));
  if (result !== 'truncated') return access;
  const message = `it ends with unsigned lines, which were never acknowledged: the next start moves them to ${path}.torn (or a running service is writing them now)`;
  return [...access, ok('audit-file-end', message)];
}

async function examineTail(path: string): Promise<'whole' | 'truncated' | AuditUnavailableError> {
  try {
    return await withRegularFile(path, { noFollow: true }, async ({ handle: { fd }, stats }) => {
      const size = Number(stats.size);
      const first = await readFirstRecord({ path, fd, size }, nodeFileOperations);
      const truncatedBytes = await findTruncatedTail({ path, fd, size }, nodeFileOperations);
      if (first === null) return truncatedBytes === 0 ? 'whole' : 'truncated';
      const end = await verifyTail({ path, publicKey: first.publicKey }, fd, size - truncatedBytes, nodeFileOperations);
      await assertOneLineEach({ path, first: first.record }, fd, end, null, nodeFileOperations);
      return end.size === size ? 'whole' : 'truncated';
    });
  } catch (error) {
    if (error instanceof AuditUnavailableError) return error;
    return isReportedElsewhere(error) ? 'whole' : openError(path, error);
  }
}

/** Missing, unreadable and irregular files are findings of checkFileAccess. */
function isReportedElsewhere(error: unknown): boolean {
  return error instanceof UnsuitableFileError || ['ENOENT', 'EACCES'].includes(systemErrorCode(error));
}

const CHECK = 'audit-public-key';

/**
 * Checks that the audit key is readable and matches its public key file, if any. Reads the key into
 * locked memory and wipes it.
 */
export function checkAuditKey(file: string): Finding {
  try {
    const key = AuditKey.open(file);
    key.destroy();
    const publicKeyFile = getPublicKeyFile(file);
    if (hasPublicKeyFile(file, key.publicKey)) {
      return ok(CHECK, `${publicKeyFile} is the public half of the audit key, for auditors`);
    }
    // A mounted secret has no public key beside it.
    return ok(
      CHECK,
      `the audit key can be read; ${publicKeyFile} does not exist; \`signing-service init\` creates it if possible`,
    );
  } catch (error) {
    if (error instanceof OperatorError) {
      return fail(CHECK, error.message, 'This key signs the checkpoints of the audit log.');
    }
    if (!(error instanceof MemoryLockError)) throw error;
    const message = 'not checked: memory for the audit key could not be locked';
    return warning(CHECK, message, 'Fix memlock first, then run this again.');
  }
}

/**
 * Checks that checkpoints can be appended to the file of `SIGNING_AUDIT_CHECKPOINT_FILE`. Writes
 * nothing. A warning, because the service starts and signs without it.
 */
export function checkCheckpointFile(file: string): Finding {
  const check = 'audit-checkpoint-file';
  const path = resolve(file);
  const folder = dirname(path);
  const remedy = 'The service writes no checkpoint there until then, and logs an error each minute.';
  if (!existsSync(folder)) return warning(check, `the folder ${folder} does not exist`, `Create it. ${remedy}`);
  const [place, mode] = existsSync(path)
    ? [path, constants.R_OK | constants.W_OK]
    : [folder, constants.W_OK | constants.X_OK];
  try {
    accessSync(place, mode);
  } catch {
    return warning(check, `this user cannot write to ${place}`, `Let the user of the service write to it. ${remedy}`);
  }
  return ok(check, path);
}
