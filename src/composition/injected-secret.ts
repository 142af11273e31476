import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path at which an orchestrator injects the secret of that name, if it does: systemd in
 * `$CREDENTIALS_DIRECTORY` (`LoadCredential=master-key:…`), Docker and Kubernetes in /run/secrets.
 * @param credentialsDirectory systemd's variable, where it is set
 * @param exists whether there is a file
 */
export function findInjectedSecret(
  name: string,
  credentialsDirectory: string | undefined,
  exists: (file: string) => boolean,
): string | undefined {
  const folders = [credentialsDirectory ?? '', '/run/secrets'].filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(exists);
}

/**
 * Also true for a dangling link and for a file that this user may not see: reading it then reports
 * the problem, where falling back to another key would hide it.
 */
export function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
  }
}
