import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditKey } from '../../adapters/audit/audit-key.ts';
import {
  type BackupFolders,
  type Manifest,
  manifestSchema,
  type SavedFile,
} from '../../adapters/cli/backup/manifest.ts';
import { readCredentialsFile } from '../../adapters/credentials/credentials-file.ts';
import { readRing } from '../../adapters/credentials/keyring/ring-file.ts';
import { listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { adviseOnReading, fileError } from '../../adapters/files/file-advice.ts';
import { sha256Of } from '../../adapters/node/sha256.ts';
import { withSecretFile } from '../../adapters/secret-files/secret-file.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { OperatorError } from '../../domain/model/errors.ts';

/** Names in a backup. */
export const NAMES = {
  manifest: 'manifest.json',
  credentials: 'credentials.json',
  settings: 'settings.env',
  masterKey: 'master.key',
  auditKey: 'audit.key',
};

/** As large as a master key file may be; fits into locked memory. */
const MAX_SECRET_BYTES = 16 * 1024;

/**
 * Verifies a backup: its files have the digests of its manifests, and its private keys are valid
 * and, if it has a master key, open its credentials.
 * @throws OperatorError that names the file
 */
export async function readBackup({ installation, masterKey, auditKey }: BackupFolders) {
  const { time, serviceVersion, files } = await verifyFolder(installation);
  const { content } = await readCredentialsFile(join(installation, NAMES.credentials));
  if (masterKey !== undefined) {
    files.push(...(await verifyFolder(masterKey)).files);
    assertOpens(join(masterKey, NAMES.masterKey), content);
  }
  if (auditKey !== undefined) {
    files.push(...(await verifyFolder(auditKey)).files);
    AuditKey.open(join(auditKey, NAMES.auditKey)).destroy();
  }
  return { time, serviceVersion, files, content };
}

/**
 * Passes the content of a file to `use`, private keys in locked memory.
 * @param name in a backup
 * @throws OperatorError, and errors of `use`
 */
export async function withContent<Result>(
  name: string,
  path: string,
  use: (content: Buffer) => Result,
): Promise<Result> {
  if (name === NAMES.masterKey || name === NAMES.auditKey) {
    return withSecretFile(path, MAX_SECRET_BYTES, (content) => use(content));
  }
  const content = await readFile(path).catch((error: unknown) => {
    throw fileError(path, adviseOnReading(error), error);
  });
  return use(content);
}

async function verifyFolder(folder: string) {
  const { time, serviceVersion, files } = await readManifest(join(folder, NAMES.manifest));
  const saved: SavedFile[] = files.map((file) => ({ ...file, copy: join(folder, file.name) }));
  for (const { name, copy, sha256 } of saved) {
    if ((await withContent(name, copy, sha256Of)) === sha256) continue;
    throw fileError(copy, `it is damaged: ${NAMES.manifest} has another digest; use another backup`);
  }
  return { time, serviceVersion, files: saved };
}

async function readManifest(file: string): Promise<Manifest> {
  try {
    return manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    const problem = 'there is no valid manifest: the backup was interrupted, is damaged or of another version';
    throw fileError(file, `${problem}; use another backup`, error);
  }
}

/** A rotation with a retirement may have come between. */
function assertOpens(masterKeyFile: string, content: CredentialsContent): void {
  const [missing] = listMissingKeys(content, readRing(masterKeyFile));
  if (missing === undefined) return;
  throw new OperatorError(
    `${masterKeyFile} would lack master key ${missing.id}, under which keys are sealed (accounts: ${missing.accounts}). ` +
      'Nothing was written. After a rotation, run the command again; otherwise leave out --master-key.',
  );
}
