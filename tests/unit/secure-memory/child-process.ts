import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The tsx loader by its address, so that a child can run in any folder. */
export const TSX = import.meta.resolve('tsx');

/** Path of a program in `fixtures`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

/** Runs a fixture to its end in a Node process of its own, after shell commands such as `ulimit -f 0`. */
export function runFixture(name: string, args: readonly string[], before = ':'): SpawnSyncReturns<string> {
  const command = [process.execPath, '--import', TSX, fixture(name), ...args];
  return spawnSync('/bin/sh', ['-c', `ulimit -c 0; ${before}; exec "$@"`, 'sh', ...command], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
  });
}
