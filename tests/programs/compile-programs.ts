import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/**
 * Compiles the programs that tests start as processes (tsconfig.programs.json), for faster starts;
 * incremental.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const compiler = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', join(REPOSITORY, 'tsconfig.programs.json')]);
}
