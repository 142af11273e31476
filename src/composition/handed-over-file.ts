import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where the secret of that name is that an orchestrator hands over, if one does: systemd in `$CREDENTIALS_DIRECTORY` (`LoadCredential=master-key:…`), Docker
 * and Kubernetes in /run/secrets.
 * @param credentialsDirectory systemd's variable, where it is set
 * @param exists whether there is a file
 */
export function handedOverFile(
  name: string,
  credentialsDirectory: string | undefined,
  exists: (file: string) => boolean,
): string | undefined {
  const folders = [credentialsDirectory ?? '', '/run/secrets'].filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(exists);
}

/** Also for a link to nothing, and for what this user may not see: reading it then says what is wrong, where another key would be taken without a word. */
export function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
  }
}
