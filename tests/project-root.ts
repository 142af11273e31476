import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The project's folder: the one above `tests`, which mocha runs compiled in `build`. */
export const PROJECT_ROOT = resolve(import.meta.dirname.replace(/\/build\/tests$/, '/tests'), '..');

/** A file or folder (with a slash at its end) of the project. */
export function projectUrl(path: string): URL {
  return new URL(path, pathToFileURL(`${PROJECT_ROOT}/`));
}

/** A text of the project. */
export function readProjectFile(path: string): string {
  return readFileSync(join(PROJECT_ROOT, path), 'utf8');
}
