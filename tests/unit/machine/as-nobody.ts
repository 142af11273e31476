import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Finding } from '../../../src/machine/finding.ts';
import { programAt } from '../../programs/program.ts';

const FIXTURE = programAt(new URL('./fixtures/as-nobody.ts', import.meta.url));

/** What is found by a user who is not root: `room` to write each file, or `access` to each. */
export function findAsNobody(question: 'room' | 'access', files: readonly string[]): readonly Finding[] {
  const run = spawnSync(process.execPath, [FIXTURE, question, ...files], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  if (run.stdout === '') throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}
