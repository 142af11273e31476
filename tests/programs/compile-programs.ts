import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/**
 * Compiles, once before the first test, what tests start as processes of their own (tsconfig.programs.json lists them): a process that had to load TypeScript
 * would take longer to start. What has not changed since is not written again.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const compiler = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', join(REPOSITORY, 'tsconfig.programs.json')]);
}
