import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { getPublicKeyFile } from '../../adapters/audit/audit-key.ts';
import { listSegmentKeys } from '../../adapters/backup/audit-public-keys.ts';
import { BackupWriter } from '../../adapters/backup/backup-folder.ts';
import { withNewFiles, withPlainFile } from '../../adapters/backup/new-files.ts';
import { readCredentialsFile } from '../../adapters/credentials/credentials-file.ts';
import { listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { fileError } from '../../adapters/files/file-advice.ts';
import { pathExists } from '../../adapters/files/replace-file.ts';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { decodePublicKeyPem, encodePublicKeyPem } from '../../adapters/node/ed25519-public-key.ts';
import { sha256Of } from '../../adapters/node/sha256.ts';
import type { BackupFolders, BackupReport, LeftOutFile } from '../../domain/model/backup.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { SERVICE_VERSION } from '../service-version.ts';
import type { Settings } from '../settings/settings.ts';
import {
  CREDENTIALS,
  checkPrivateKeys,
  formatSettings,
  listAccountFiles,
  listFolders,
  listInstalledFiles,
  SETTINGS_COPY,
} from './installed-files.ts';

const HEADER = '# Explicit settings of the signing service. A password of Redis is masked (***).';
const ID_LENGTH = 16;

/**
 * Makes a backup while the service and commands go on. Each file is read in one piece, and the
 * master key file after the credentials: a rotation adds its key there before it reseals them.
 * @param time of now, ISO 8601 UTC
 * @throws OperatorError, after removing what was written
 */
export async function backUp(settings: Settings, folders: BackupFolders, time: string): Promise<BackupReport> {
  assertApart(Object.values(folders));
  // Before anything is written, and by its own name.
  await readCredentialsFile(settings.credentialsFile);
  return withNewFiles(async (made) => {
    const writers = listFolders(folders).map(([kind, folder]) => new BackupWriter(kind, folder, made));
    const leftOut = copyInstalledFiles(writers, settings);
    const { content } = await readCredentialsFile(join(folders.installation, CREDENTIALS));
    checkPrivateKeys(folders, content);
    leftOut.push(...listAccountFiles(content, settings.credentialsFile));
    for (const writer of writers) {
      if (writer.kind === 'installation') leftOut.push(...(await addPublicKeys(writer, settings)));
      writer.finish({ serviceVersion: SERVICE_VERSION, time, leftOut: writer.kind === 'installation' ? leftOut : [] });
    }
    const files = writers.flatMap(({ saved }) => saved);
    return {
      files,
      leftOut: leftOut.filter(({ path }) => files.every((file) => file.path !== path)),
      masterKeys: listMissingKeys(content, []),
      plaintextKeys: content.accounts.filter(({ key }) => 'plaintext' in key).length,
    };
  });
}

/** Copies what the settings name, and themselves; returns secrets, programs and missing files. */
function copyInstalledFiles(writers: readonly BackupWriter[], settings: Settings): LeftOutFile[] {
  const leftOut: LeftOutFile[] = [];
  for (const { setting, path, isExplicit, kind, copy, reason } of listInstalledFiles(settings)) {
    if (path === null) continue;
    const exists = pathExists(path);
    const writer = writers.find((one) => one.kind === kind);
    if (copy && (exists || kind !== 'installation')) writer?.add({ ...copy, path });
    const isMissing = isExplicit && !exists;
    if (isMissing || (exists && reason)) leftOut.push({ setting, path, reason: reason ?? 'There was no such file.' });
  }
  const lines = [HEADER, ...formatSettings(settings), ''];
  writers[0]?.add({ name: SETTINGS_COPY, purpose: 'settings', path: 'SIGNING_*' }, lines.join('\n'));
  return leftOut;
}

/** Adds the public audit keys by their digests; returns segments that cannot be read. */
async function addPublicKeys(
  writer: BackupWriter,
  { auditFile, auditKeyFile }: Settings,
): Promise<readonly LeftOutFile[]> {
  const keys = new Map<string, string>();
  const own = resolve(getPublicKeyFile(auditKeyFile));
  if (pathExists(own)) keys.set(readPem(own), own);
  const leftOut: LeftOutFile[] = [];
  try {
    for (const { publicKey, segment } of await listSegmentKeys(auditFile)) {
      const pem = encodePublicKeyPem(publicKey);
      if (!keys.has(pem)) keys.set(pem, segment);
    }
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') {
      const reason = `Not every public audit key that its segments name was found: ${error instanceof Error ? error.message : error}.`;
      leftOut.push({ setting: 'SIGNING_AUDIT_FILE', path: resolve(auditFile), reason });
    }
  }
  for (const [pem, path] of keys) {
    const id = sha256Of(pem).replace('sha256:', '').slice(0, ID_LENGTH);
    writer.add({ name: `audit.${id}.pub`, purpose: 'public audit key', path }, pem);
  }
  return leftOut;
}

/** Normalised. */
function readPem(file: string): string {
  const key = withPlainFile(file, (pem) => decodePublicKeyPem(pem.toString('latin1')));
  if (key !== null) return encodePublicKeyPem(key);
  throw fileError(file, 'it is not an Ed25519 public key in PEM; move it away, and run `signing-service init`');
}

/** @throws OperatorError if a folder is another's, or within it */
function assertApart(folders: readonly (string | undefined)[]): void {
  const paths = folders.filter((folder) => folder !== undefined).map((folder) => realPath(resolve(folder)));
  const isWithin = paths.some((path, index) =>
    paths.some((other, at) => at !== index && `${path}${sep}`.startsWith(`${other}${sep}`)),
  );
  if (!isWithin) return;
  throw new OperatorError(
    'Backup, --master-key and --audit-key need folders that are not within each other: together they open every key. Nothing was written.',
  );
}

/** Also of what does not exist yet. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path));
}
