import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Finding, ok, warning } from './finding.ts';

/** Whether the master key is kept apart from what it seals: whoever gets both files, by one backup of one folder, has every key. */
export function checkSeparateFolders(masterKeyFile: string, credentialsFile: string): Finding {
  const folder = folderOf(masterKeyFile);
  if (folder !== folderOf(credentialsFile))
    return ok('kept-apart', 'master key and credentials file are in different folders');
  return warning(
    'kept-apart',
    `master key and credentials file are both in ${folder}: one copy of that folder opens every key`,
    'Keep the master key elsewhere, and out of backups of the credentials file: set SIGNING_MASTER_KEY_FILE, or hand it over as a mounted secret.',
  );
}

/** Links to files count as where they stand, links to folders as where they lead. */
function folderOf(file: string): string {
  const folder = dirname(resolve(file));
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
