import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Issue } from '../../../../src/adapters/machine/outcome.ts';

const FIXTURE = fileURLToPath(new URL('./fixtures/as-nobody.js', import.meta.url));

/** Issues of a user other than root: `room` or `access` for each file. */
export function findAsNobody(check: 'room' | 'access', files: readonly string[]): readonly Issue[] {
  const run = spawnSync(process.execPath, [FIXTURE, check, ...files], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  if (run.stdout === '') throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}
