import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Path of a compiled fixture, named from the folder above. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../${name}.js`, import.meta.url));
}

/** Runs a fixture in a new process, after shell commands such as `ulimit -f 0`. */
export function runFixture(name: string, args: readonly string[], before = ':'): SpawnSyncReturns<string> {
  const command = [process.execPath, fixture(name), ...args];
  return spawnSync('/bin/sh', ['-c', `ulimit -c 0; ${before}; exec "$@"`, 'sh', ...command], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
}
