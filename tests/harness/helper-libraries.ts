import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.ts';

/** Folder of the key helpers of `dist`. */
export const HELPER_FOLDER = join(PROJECT_ROOT, 'dist', 'key-helpers');

/**
 * Installs the libraries of key services beside the helpers of `dist`, with the command of
 * docs/operators/keys.md, and shows them to the helpers of this test run.
 */
export function installHelperLibraries(): void {
  const installed = join(HELPER_FOLDER, 'node_modules');
  if (!existsSync(join(installed, 'pkcs11js', 'build'))) {
    execFileSync('npm', ['ci', '--omit=dev', '--prefix', 'dist/key-helpers'], { cwd: PROJECT_ROOT, stdio: 'pipe' });
  }
  const link = join(PROJECT_ROOT, 'build', 'src', 'key-helpers', 'node_modules');
  rmSync(link, { force: true });
  symlinkSync(installed, link);
}
