import { constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AuditKey, getPublicKeyFile, hasPublicKeyFile } from '../../adapters/audit/audit-key.ts';
import { openError } from '../../adapters/audit/writer/audit-errors.ts';
import { findChainEnd } from '../../adapters/audit/writer/chain-end.ts';
import { readFileIdentity } from '../../adapters/files/open-regular-file.ts';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { canAccess } from '../../adapters/machine/disk-space.ts';
import { type Outcome, warning } from '../../adapters/machine/outcome.ts';
import { memoizeByObject } from '../../domain/model/memoize.ts';
import type { Configured, Row } from './rows.ts';

/**
 * The end of the chain, read once by the audit sink's own code, which neither changes anything nor
 * takes a lock, so it does not notice a running service. Null when the folder is missing or
 * unreadable, which other checks report.
 * @throws AuditUnavailableError if the service would not continue the chain
 */
const readEnd = memoizeByObject(async ({ settings }: Configured) => {
  const path = resolve(settings.auditFile);
  try {
    return { path, end: await findChainEnd(path) };
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(systemErrorCode(error))) return { path, end: null };
    throw openError(path, error);
  }
});

/** The audit log and its key. */
export const AUDIT_ROWS: readonly Row<Configured>[] = [
  {
    check: 'audit-file',
    needs: ['audit-file'],
    async run(context) {
      await readEnd(context);
      return [];
    },
  },
  {
    check: 'audit-file-end',
    needs: ['audit-file'],
    async run(context) {
      const { path, end } = await readEnd(context);
      if (end === null || end.unsignedTails.length === 0) return [];
      return `it ends with unsigned lines, which were never acknowledged: the next start moves them to ${path}.torn (or a running service is writing them now)`;
    },
  },
  {
    check: 'audit-file-name',
    needs: ['audit-file'],
    async run(context) {
      const { path, end } = await readEnd(context);
      const newest = end?.last?.segment.path;
      if (newest === undefined || (await readFileIdentity(path)) === (await readFileIdentity(newest))) return [];
      return warning(
        `${path} does not lead to the newest audit file ${newest}: readers of that name miss records`,
        'The service makes it a hard link at its next start or rotation. On a file system without hard links, or if this file is mounted by itself, read the numbered files instead.',
      );
    },
  },
  {
    check: 'audit-public-key',
    needs: ['audit-key'],
    run: ({ settings }) => checkAuditKey(settings.auditKeyFile),
    remedy: 'This key signs the checkpoints of the audit log.',
  },
  {
    check: 'audit-checkpoint-file',
    run: ({ settings }) =>
      settings.auditCheckpointFile === null ? [] : checkCheckpointFile(resolve(settings.auditCheckpointFile)),
  },
];

/** Reads the key into locked memory and wipes it. */
function checkAuditKey(file: string): Outcome {
  const key = AuditKey.open(file);
  key.destroy();
  const publicKeyFile = getPublicKeyFile(file);
  // A mounted secret has no public key beside it.
  return hasPublicKeyFile(file, key.publicKey)
    ? `${publicKeyFile} is the public half of the audit key, for auditors`
    : `the audit key can be read; ${publicKeyFile} does not exist; \`signing-service init\` creates it if possible`;
}

/** Writes nothing. Only warns, because the service starts and signs without it. */
function checkCheckpointFile(path: string): Outcome {
  const folder = dirname(path);
  const until = 'The service writes no checkpoint there until then, and logs an error each minute.';
  if (!existsSync(folder)) return warning(`the folder ${folder} does not exist`, `Create it. ${until}`);
  const [place, mode] = existsSync(path)
    ? [path, constants.R_OK | constants.W_OK]
    : [folder, constants.W_OK | constants.X_OK];
  if (canAccess(place, mode)) return path;
  return warning(`this user cannot write to ${place}`, `Let the user of the service write to it. ${until}`);
}
