import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AuditKey, getPublicKeyFile, hasPublicKeyFile } from '../../adapters/audit/audit-key.ts';
import { listSegments } from '../../adapters/audit/segments/segment-names.ts';
import { openError } from '../../adapters/audit/writer/audit-errors.ts';
import { type ChainEnd, findChainEnd } from '../../adapters/audit/writer/chain-end.ts';
import { readFileIdentity } from '../../adapters/files/open-regular-file.ts';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { type Finding, ok, warning } from '../../adapters/machine/finding.ts';
import { guardedAuditFile } from './guarded-files.ts';

/**
 * Checks with the audit sink's own code whether the service would continue this chain, and the
 * access rights of its newest segment. Changes nothing and takes no lock, so it does not notice a
 * running service.
 * @throws AuditUnavailableError if it would not
 */
export async function checkAuditFile(file: string): Promise<readonly Finding[]> {
  const path = resolve(file);
  const end = await findEnd(path);
  const findings = [...checkFileAccess(guardedAuditFile(await findNewest(path)))];
  if (end !== null && end.unsignedTails.length > 0) {
    const message = `it ends with unsigned lines, which were never acknowledged: the next start moves them to ${path}.torn (or a running service is writing them now)`;
    findings.push(ok('audit-file-end', message));
  }
  const current = end?.last?.segment.path ?? null;
  if (current !== null && !(await isSecondName(path, current))) {
    const message = `${path} does not lead to the newest audit file ${current}: readers of that name miss records`;
    findings.push(warning('audit-file-name', message, CURRENT_NAME_REMEDY));
  }
  return findings;
}

const CURRENT_NAME_REMEDY =
  'The service makes it a hard link at its next start or rotation. On a file system without hard links, or if this file is mounted by itself, read the numbered files instead.';

/** Null when the folder is missing or unreadable, which checkFileAccess reports. */
async function findEnd(auditFile: string): Promise<ChainEnd | null> {
  try {
    return await findChainEnd(auditFile);
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(systemErrorCode(error))) return null;
    throw openError(auditFile, error);
  }
}

/** The audit file's own path without a segment. */
async function findNewest(auditFile: string): Promise<string> {
  const segments = await listSegments(auditFile).catch(() => []);
  return segments.at(-1)?.path ?? auditFile;
}

async function isSecondName(auditFile: string, segment: string): Promise<boolean> {
  return (await readFileIdentity(auditFile)) === (await readFileIdentity(segment));
}

const CHECK = 'audit-public-key';

/**
 * Checks that the audit key is readable and matches its public key file, if any. Reads the key into
 * locked memory and wipes it.
 * @throws OperatorError
 */
export function checkAuditKey(file: string): Finding {
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
