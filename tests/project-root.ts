import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The project's folder. */
export const PROJECT_ROOT = resolve(import.meta.dirname, '..');

/** A text of the project. */
export function readProjectFile(path: string): string {
  return readFileSync(join(PROJECT_ROOT, path), 'utf8');
}
