import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/**
 * Path of the JavaScript that a program of the tests was compiled to, which Node runs in a process of its own without any loader.
 * @param source address of its TypeScript, which tsconfig.programs.json lists
 */
export function programAt(source: URL): string {
  const path = relative(REPOSITORY, fileURLToPath(source));
  return join(REPOSITORY, 'build', path.replace(/\.ts$/, '.js'));
}
