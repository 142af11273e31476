import { dirname, join, resolve } from 'node:path';
import { createAuditKey, getPublicKeyFile } from '../../adapters/audit/audit-key.ts';
import { type Backup, type BackupFile, readBackup } from '../../adapters/backup/backup-folder.ts';
import { withNewFiles, withPlainFile } from '../../adapters/backup/new-files.ts';
import { readCredentialsFile } from '../../adapters/credentials/credentials-file.ts';
import { readRing } from '../../adapters/credentials/keyring/ring-file.ts';
import { listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { fileError } from '../../adapters/files/file-advice.ts';
import { pathExists } from '../../adapters/files/replace-file.ts';
import { statePath } from '../../adapters/files/state-file.ts';
import type { BackupFolders, LeftOutFile, RestoreReport, SavedFile } from '../../domain/model/backup.ts';
import { OperatorError } from '../../domain/model/errors.ts';
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

const PUBLIC_KEY = /^audit\.[0-9a-f]{16}\.pub$/;

/** A file of a backup and where it goes. */
interface Placement extends SavedFile, Pick<BackupFile, 'sha256'>, Pick<Backup, 'read'> {}

/**
 * Puts the files of a backup where these settings have them. Verifies everything first; writes
 * over no existing file, and neither segments nor state beside the audit file.
 * @throws OperatorError, after removing what was written
 */
export async function restore(settings: Settings, folders: BackupFolders): Promise<RestoreReport> {
  const { credentialsFile, masterKeyFile, auditKeyFile } = settings;
  const backups = listFolders(folders).map(([kind, folder]) => readBackup(kind, folder));
  const [{ time, serviceVersion, leftOut: unsaved }] = backups as [Backup];
  const { content } = await readCredentialsFile(join(folders.installation, CREDENTIALS));
  checkPrivateKeys(folders, content);
  const { placements, homeless } = placeFiles(backups, settings);
  const publicKeyFiles = folders.auditKey === undefined ? [] : [resolve(getPublicKeyFile(auditKeyFile))];
  assertAbsent([...placements.map(({ path }) => path), ...publicKeyFiles]);
  const here = new Set(formatSettings(settings));
  const lines = withPlainFile(join(folders.installation, SETTINGS_COPY), (text) => text.toString().split('\n'));
  return withNewFiles(async (made) => {
    const files = placements.map(({ read, copy, path, purpose, sha256 }) => {
      if (made.copy(read, copy, path).sha256 === sha256) return { purpose, path, copy };
      throw fileError(copy, 'it was changed meanwhile; run the command again when no program writes to it');
    });
    // The last step: it creates the public half.
    if (folders.auditKey !== undefined) createAuditKey(auditKeyFile);
    const installed = new Map(listInstalledFiles(settings).map(({ setting, path }) => [setting, path]));
    const leftOut = unsaved.flatMap((file) => {
      const path = installed.get(file.setting ?? '') ?? null;
      return path === null ? [] : [{ ...file, path }];
    });
    const absent = [...leftOut, ...listAccountFiles(content, credentialsFile)].filter(({ path }) => !pathExists(path));
    return {
      time,
      serviceVersion,
      files,
      leftOut: [...homeless, ...absent],
      settings: lines.filter((line) => line.startsWith('SIGNING_') && !here.has(line)),
      missingMasterKeys: listMissingKeys(content, pathExists(masterKeyFile) ? readRing(masterKeyFile) : []),
      budgets: findBudgets(settings),
    };
  });
}

/** The credentials come last: an interrupted restore leaves an installation without them. */
function placeFiles(
  backups: readonly Backup[],
  settings: Settings,
): { readonly placements: readonly Placement[]; readonly homeless: readonly LeftOutFile[] } {
  const installed = listInstalledFiles(settings);
  const placements: Placement[] = [];
  const homeless: LeftOutFile[] = [];
  for (const { folder, kind, read, files } of backups) {
    for (const { name, purpose, sha256, path: before } of files) {
      if (name === SETTINGS_COPY) continue;
      const file = { read, copy: join(folder, name), purpose, sha256 };
      const known = installed.find((one) => one.copy?.name === name && one.kind === kind);
      if (PUBLIC_KEY.test(name)) placements.push({ ...file, path: resolve(dirname(settings.credentialsFile), name) });
      else if (known === undefined) {
        throw fileError(file.copy, 'this version of the service does not know it; restore with that of the backup');
      } else if (known.path === null) {
        const reason = `${known.setting} is not set: set it, and copy ${file.copy} to its path.`;
        homeless.push({ setting: known.setting, path: before, reason });
      } else placements.push({ ...file, path: known.path });
    }
  }
  return { placements: placements.toReversed(), homeless };
}

/** @throws OperatorError that names every file that exists */
function assertAbsent(paths: readonly string[]): void {
  const found = paths.filter(pathExists);
  if (found.length === 0) return;
  throw new OperatorError(
    `Nothing was written, because there are files already: ${found.join(', ')}. Move them away, or set other paths (SIGNING_*_FILE).`,
  );
}

/** Where budgets go on from: Redis, or the state beside the audit file. */
function findBudgets({ redis, auditFile }: Settings): string | null {
  const file = statePath(auditFile, 'budgets');
  return redis?.address.shown ?? (pathExists(file) ? file : null);
}
