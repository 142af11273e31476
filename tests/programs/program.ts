import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/**
 * Path of a test program's JavaScript, which Node runs without a loader.
 * @param source URL of its TypeScript, listed in tsconfig.programs.json
 */
export function programAt(source: URL): string {
  const path = relative(REPOSITORY, fileURLToPath(source));
  return join(REPOSITORY, 'build', path.replace(/\.ts$/, '.js'));
}
