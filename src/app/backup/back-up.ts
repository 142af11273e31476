import { chmodSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { getPublicKeyFile } from '../../adapters/audit/audit-key.ts';
import { readRecord } from '../../adapters/audit/record/read-record.ts';
import { getSegmentPublicKey } from '../../adapters/audit/record/segment.ts';
import { listSegments } from '../../adapters/audit/segments/segment-names.ts';
import { withSegment } from '../../adapters/audit/segments/segment-reader.ts';
import type { BackupFolders, BackupPart, BackupReport, Manifest } from '../../adapters/cli/backup/manifest.ts';
import { readCredentialsFile } from '../../adapters/credentials/credentials-file.ts';
import { listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { adviseOnCreating, fileError } from '../../adapters/files/file-advice.ts';
import { withNewFiles } from '../../adapters/files/new-files.ts';
import { pathExists } from '../../adapters/files/replace-file.ts';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { encodePublicKeyPem } from '../../adapters/node/ed25519-public-key.ts';
import { sha256Of } from '../../adapters/node/sha256.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { SERVICE_VERSION } from '../service-version.ts';
import type { Settings } from '../settings/settings.ts';
import { formatSettings, listCopies, listLeftOut } from './installed-files.ts';
import { NAMES, readBackup, withContent } from './read-backup.ts';

const FOLDER_MODE = 0o700;
const HEADER = '# Explicit settings of the signing service. A password of Redis is masked (***).';
const ID_LENGTH = 16;

/**
 * Makes a backup while the service and commands go on, and verifies it. Reads the master key file
 * after the credentials: a rotation adds its key there before it reseals them.
 * @param time of now, ISO 8601 UTC
 * @throws OperatorError, after removing what was written
 */
export async function backUp(settings: Settings, folders: BackupFolders, time: string): Promise<BackupReport> {
  const { content: before } = await readCredentialsFile(settings.credentialsFile);
  const copied = listCopies(settings).flatMap(({ path, ...copy }) =>
    path !== null && folders[copy.part] !== undefined && pathExists(path) ? [{ ...copy, path }] : [],
  );
  const leftOut = listLeftOut(settings, before, copied);
  const publicKeys = await listPublicKeys(settings);
  return withNewFiles(async ({ createFolder, create }) => {
    const parts = Object.entries(folders).filter(([, folder]) => folder !== undefined) as [BackupPart, string][];
    // All of them first: one that has another is not empty.
    for (const [, folder] of parts) createFolder(folder);
    for (const [part, folder] of parts) {
      assertEmpty(folder);
      const files: Manifest['files'] = [];
      const add = (name: string, purpose: string, path: string, content: Buffer) => {
        create(join(folder, name), content);
        files.push({ name, purpose, path, bytes: content.length, sha256: sha256Of(content) });
      };
      for (const { name, purpose, path } of copied.filter((file) => file.part === part)) {
        await withContent(name, path, (content) => add(name, purpose, path, content));
      }
      if (part === 'installation') {
        add(NAMES.settings, 'settings', 'SIGNING_*', Buffer.from([HEADER, ...formatSettings(settings), ''].join('\n')));
        for (const [pem, path] of publicKeys.found) {
          const id = sha256Of(pem).replace('sha256:', '').slice(0, ID_LENGTH);
          add(`audit.${id}.pub`, 'public audit key', path, Buffer.from(pem));
        }
      }
      const manifest: Manifest = { format: 1, serviceVersion: SERVICE_VERSION, time, files, leftOut };
      create(join(folder, NAMES.manifest), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    }
    const { files, content } = await readBackup(folders);
    const plaintext = content.accounts.filter(({ key }) => 'plaintext' in key).length;
    const cautions = [
      ...publicKeys.cautions,
      ...(plaintext === 0 ? [] : [`accounts whose key is in the backup in plaintext: ${plaintext}; keep it secret`]),
    ];
    return { files, leftOut, masterKeys: listMissingKeys(content, []), cautions };
  });
}

/** @throws OperatorError also if it belongs to another user */
function assertEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length > 0) {
      throw fileError(folder, 'it is not empty; choose new or empty folders that are not within each other');
    }
    chmodSync(folder, FOLDER_MODE);
  } catch (error) {
    throw error instanceof OperatorError ? error : fileError(folder, adviseOnCreating(error), error);
  }
}

/** Public audit keys, own and of segments, in PEM with the paths that name them; unverified. */
async function listPublicKeys({ auditFile, auditKeyFile }: Settings) {
  const found = new Map<string, string>();
  const cautions: string[] = [];
  try {
    for (const segment of await listSegments(auditFile)) {
      const line = await withSegment(segment, (reader) => reader.firstLine());
      const record = readRecord(line?.text ?? null);
      const publicKey = 'issue' in record ? null : getSegmentPublicKey(record.data);
      if (publicKey !== null) found.set(encodePublicKeyPem(publicKey), segment.path);
    }
  } catch (error) {
    // There is no folder before the first start.
    if (systemErrorCode(error) !== 'ENOENT') {
      cautions.push(`not every public audit key was found (${error}); run \`signing-service audit verify\``);
    }
  }
  const own = resolve(getPublicKeyFile(auditKeyFile));
  if (pathExists(own)) found.set(await withContent(basename(own), own, String), own);
  return { found, cautions };
}
