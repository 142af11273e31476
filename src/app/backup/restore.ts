import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createAuditKey } from '../../adapters/audit/audit-key.ts';
import type { BackupFolders, LeftOutFile, RestoreReport, SavedFile } from '../../adapters/cli/backup/manifest.ts';
import { readRing } from '../../adapters/credentials/keyring/ring-file.ts';
import { listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { withNewFiles } from '../../adapters/files/new-files.ts';
import { pathExists } from '../../adapters/files/replace-file.ts';
import { statePath } from '../../adapters/files/state-file.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { Settings } from '../settings/settings.ts';
import { formatSettings, listCopies, listLeftOut } from './installed-files.ts';
import { NAMES, readBackup, withContent } from './read-backup.ts';

const PUBLIC_KEY = /^audit\.[0-9a-f]{16}\.pub$/;

/**
 * Puts the files of a backup where these settings have them. Verifies everything first; writes
 * over no existing file, and neither segments nor state beside the audit file.
 * @throws OperatorError, after removing what was written
 */
export async function restore(settings: Settings, folders: BackupFolders): Promise<RestoreReport> {
  const { masterKeyFile, auditKeyFile, auditFile, redis } = settings;
  const { time, serviceVersion, content, ...backup } = await readBackup(folders);
  const { files, leftOut } = placeFiles(backup.files, settings);
  const present = files.map(({ path }) => path).filter(pathExists);
  if (present.length > 0) {
    throw new OperatorError(
      `Nothing was written, because there are files already: ${present.join(', ')}. Move them away, or set other paths (SIGNING_*_FILE).`,
    );
  }
  const here = formatSettings(settings);
  const lines = (await readFile(join(folders.installation, NAMES.settings), 'utf8')).split('\n');
  const budgets = statePath(auditFile, 'budgets');
  return withNewFiles(async ({ create }) => {
    for (const { name, copy, path } of files) await withContent(name, copy, (bytes) => create(path, bytes));
    // The last step: it creates the public half.
    if (folders.auditKey !== undefined) createAuditKey(auditKeyFile);
    const missing = listLeftOut(settings, content, []).filter(({ path }) => !pathExists(path));
    return {
      time,
      serviceVersion,
      files,
      leftOut: [...leftOut, ...missing],
      settings: lines.filter((line) => line.startsWith('SIGNING_') && !here.includes(line)),
      missingMasterKeys: listMissingKeys(content, pathExists(masterKeyFile) ? readRing(masterKeyFile) : []),
      budgets: redis?.address.shown ?? (pathExists(budgets) ? budgets : null),
    };
  });
}

/** The files with their paths here, public audit keys beside the credentials. */
function placeFiles(saved: readonly SavedFile[], settings: Settings) {
  const copies = listCopies(settings);
  const files: SavedFile[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const file of saved) {
    const known = copies.find(({ name }) => name === file.name);
    const path = PUBLIC_KEY.test(file.name) ? resolve(dirname(settings.credentialsFile), file.name) : known?.path;
    if (path) files.push({ ...file, path });
    else if (known) {
      const reason = `${known.setting} is not set: set it, and copy ${file.copy} to its path.`;
      leftOut.push({ setting: known.setting, path: file.path, reason });
    }
  }
  return { files, leftOut };
}
