import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian has programs of the system, which PATH may lack. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Path of a program that is installed, or undefined. */
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
