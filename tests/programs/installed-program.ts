import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's folders that PATH may lack. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Path of an installed program, if any. */
export function installedProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
