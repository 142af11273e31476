import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives each test of the surrounding suite an empty folder of its own; the returned function names it. */
export function useTemporaryFolder(): () => string {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-sink-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}
